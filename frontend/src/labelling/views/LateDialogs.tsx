/** The dialogs of the page that are loaded when they are first shown. */

import { useEffect, useState } from "preact/hooks";
import { COMMENT_LENGTH } from "./Asking";
import { pieces } from "./Captions";
import { type Api, Refusal, Unreachable } from "../../api/client";
import type { Assignment, Conversation, Question, Report, SkipReason } from "../../api/types";
import type { DrawBy } from "../../canvas/useBoxEditor";
import { isDone, isTest } from "../assignment";
import type { PageContext } from "../calls";
import { localTime } from "../../local_time";
import { wayOf } from "../preferences";
import { t } from "../../t";
import { Dialog } from "../../ui/Dialog";
import type { Work } from "../use_work";
import { skipInWords } from "./words";
import { Button } from "../../ui/Button";

interface Props {
  work: Work;
  context: PageContext;
  onClose: () => void;
}

const REASONS: readonly [SkipReason, string][] = [
  ["picture", t("The picture is missing, or I cannot make out what it shows")],
  ["unclear", t("I do not understand the question")],
  ["uncomfortable", t("I would rather not look at this")],
  ["other", t("Another reason")],
];

export function SkipDialog({ work: { state, act }, context: { session }, onClose }: Props) {
  const [words, setWords] = useState(state.entries[state.index]?.comment ?? "");
  const skip = (reason: SkipReason): void => {
    onClose();
    act({ type: "skip", reason, comment: words });
  };
  return (
    <Dialog title={t("Leave this question to others")} onClose={onClose}>
      <p>{skipInWords(state, session)}</p>
      <p>{t("Why do you skip it?")}</p>
      <div class="reasons">
        {REASONS.map(([reason, label]) => <Button data-skip={reason} onClick={() => skip(reason)}>{label}</Button>)}
      </div>
      <label class="field">
        {t("Anything to add? (optional)")}
        <input value={words} maxLength={COMMENT_LENGTH} onInput={(event) => setWords(event.currentTarget.value)} />
      </label>
    </Dialog>
  );
}

/** What is said of a form that sends what is filled in; `send` returns the words. */
function useSending(send: (form: HTMLFormElement) => Promise<string>, failed: string) {
  const [said, say] = useState("");
  const [sending, setSending] = useState(false);
  const onSubmit = (event: SubmitEvent): void => {
    event.preventDefault();
    setSending(true);
    send(event.currentTarget as HTMLFormElement)
      .catch((error: unknown) => ((error instanceof Refusal || error instanceof Unreachable) && error.message) || failed)
      .then(say)
      .finally(() => setSending(false));
  };
  return { said, sending, onSubmit };
}

type Subject = Pick<Report, "what" | "number"> & { label: string };

/** Words that keep their own direction inside a sentence of the page. */
const isolated = (words: string): string => `\u2068${words}\u2069`;

/** Everything in a question that can be reported. */
function subjects({ captions }: Question): Subject[] {
  const shorten = (text: string): string => (text.length > 60 ? `${text.slice(0, 60)} …` : text);
  const phrases = captions.flatMap((caption) =>
    caption.phrases.map((phrase): Subject => {
      const words = pieces({ ...caption, phrases: [phrase] }).find(({ mention }) => mention !== undefined)?.text ?? "";
      return { what: "mention", number: phrase.mention, label: t("The phrase “{words}”", { words: isolated(words) }) };
    }),
  );
  const whole = captions.map(({ number, text }): Subject => {
    return { what: "caption", number, label: t("The caption “{words}”", { words: isolated(shorten(text)) }) };
  });
  return [...phrases, ...whole, { what: "image", number: null, label: t("The picture") }];
}

export function ReportDialog({ work, assignment, question, onClose }: Props & { assignment: Assignment; question: Question }) {
  const choices = subjects(question);
  const send = async (form: HTMLFormElement): Promise<string> => {
    const given = new FormData(form);
    const { what, number } = choices[Number(given.get("subject"))] ?? { what: "image", number: null };
    return (await work.report(assignment, { question: work.state.index, what, number, comment: String(given.get("comment")) })).message;
  };
  const { said, sending, onSubmit } = useSending(send, t("The report was not sent. Try again."));
  return (
    <Dialog title={t("Report a problem")} onClose={onClose}>
      {said ? (
        <p role="status">{said}</p>
      ) : (
        <form onSubmit={onSubmit}>
          <fieldset>
            <legend>{t("What is wrong?")}</legend>
            {choices.map(({ label }, i) => (
              <label class="option"><input type="radio" name="subject" value={i} required /> {label}</label>
            ))}
          </fieldset>
          <label class="field">
            {t("What is wrong with it?")}
            <input name="comment" maxLength={500} required />
          </label>
          <button type="submit" class="primary" disabled={sending}>{sending ? t("Sending …") : t("Report")}</button>
        </form>
      )}
    </Dialog>
  );
}

export function ReturnDialog({ work, context: { session }, assignment, onClose }: Props & { assignment: Assignment }) {
  const test = isTest(work.state);
  const done = work.state.entries.filter(isDone).length;
  const giveBack = (): void => {
    onClose();
    work.giveBack();
  };
  return (
    <Dialog title={test ? t("Leave the test?") : t("Return this assignment?")} onClose={onClose}>
      <p>
        {test ? t("You can take it another time.") : t("Its questions go to other people.")}
        {done > 0 &&
          ` ${t(assignment.reward_cents > 0 ? "Your answers so far ({n}) are thrown away and not paid." : "Your answers so far ({n}) are thrown away.", { n: done })}`}
      </p>
      {session?.wayOut && <p class="quiet">{session.wayOut}</p>}
      <div class="row">
        <Button class="danger" onClick={giveBack}>{test ? t("Leave it") : t("Return it")}</Button>
        <Button onClick={onClose}>{test ? t("Stay") : t("Keep it")}</Button>
      </div>
    </Dialog>
  );
}

const LENGTH = 2000;

/** What a message is about, and the way to send it. */
export interface About {
  api: Pick<Api, "messages" | "write">;
  context: PageContext;
  /** The assignment that the message is about; null: the worker's status in the task. */
  token: string | null;
}

/** A message to the requester, and what was written before. */
export function AskDialog({ api, context: { project, task }, token, onClose }: About & { onClose: () => void }) {
  const [earlier, setEarlier] = useState<Conversation[]>([]);
  const look = (): Promise<void> => api.messages(project).then(setEarlier).catch(() => undefined);
  useEffect(() => void look(), []);
  const send = async (form: HTMLFormElement): Promise<string> => {
    await api.write(project, { text: String(new FormData(form).get("text")), ...(token ? { assignment: token } : { task }) });
    form.reset();
    void look();
    return t("Your message was sent. The answer will be shown here.");
  };
  const { said, sending, onSubmit } = useSending(send, t("The message was not sent. Try again."));
  return (
    <Dialog title={t("Write to the requester")} onClose={onClose}>
      <form onSubmit={onSubmit}>
        <label class="field">
          {token ? t("About this assignment") : t("About your status in this task")}
          <textarea name="text" rows={4} maxLength={LENGTH} required />
        </label>
        <p role="status">{said}</p>
        <button type="submit" class="primary" disabled={sending}>{sending ? t("Sending …") : t("Send")}</button>
      </form>
      {earlier.flatMap(({ posts }) =>
        posts.map(({ answer, text, at }) => (
          <p class={answer ? "said answer" : "said"}>
            <span class="quiet">{answer ? t("The requester") : t("You")}, {localTime(new Date(at))}</span>
            <br />
            {text}
          </p>
        )),
      )}
    </Dialog>
  );
}

const WAYS: Record<DrawBy, string> = {
  drag: t("Drag from corner to corner"),
  "two clicks": t("Click two opposite corners"),
  "extreme points": t("Click the top, left, bottom and right end of the object"),
};

/** The worker's own settings. A change counts at once, here and in all projects. */
export function SettingsDialog({ work, context: { task, drawBy }, onClose }: Props) {
  const { now, change } = work.preferences;
  const { send_by_itself, draw_by, confirm_by_double_click, one_letter_keys } = now;
  const draw = (way: DrawBy | null) => () => change({ draw_by: way, ...(way === "two clicks" && { confirm_by_double_click: false }) });
  const clicks = wayOf(now, drawBy).by === "two clicks";
  return (
    <Dialog title={t("Settings")} onClose={onClose}>
      {task === "box_drawing" && (
        <fieldset>
          <legend>{t("Draw a box")}</legend>
          {([null, ...Object.keys(WAYS)] as (DrawBy | null)[]).map((way) => (
            <label key={way} class="option">
              <input type="radio" name="draw_by" checked={draw_by === way} onChange={draw(way)} />
              {way ? WAYS[way] : t("As the project does")}
            </label>
          ))}
          <Option
            label={t("Confirm a box by a double-click")}
            hint={clicks ? t("not while two clicks draw") : ""}
            checked={confirm_by_double_click && !clicks}
            disabled={clicks}
            onChange={(on) => change({ confirm_by_double_click: on })}
          />
        </fieldset>
      )}
      <Option
        label={t("Submit by itself after the last question")}
        hint={t("never a test")}
        checked={send_by_itself}
        onChange={(on) => change({ send_by_itself: on })}
      />
      <Option
        label={t("One-letter keys")}
        hint={t("off: no letter, digit or sign acts")}
        checked={one_letter_keys}
        onChange={(on) => change({ one_letter_keys: on })}
      />
    </Dialog>
  );
}

interface OptionProps {
  label: string;
  hint: string;
  checked: boolean;
  disabled?: boolean;
  onChange: (on: boolean) => void;
}

function Option({ label, hint, checked, disabled = false, onChange }: OptionProps) {
  return (
    <label class="option">
      <input type="checkbox" {...{ checked, disabled }} onChange={(event) => onChange(event.currentTarget.checked)} />
      <span>{label} {hint && <span class="quiet">({hint})</span>}</span>
    </label>
  );
}
