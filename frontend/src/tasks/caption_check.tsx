import { useContext, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { AnswerTo, Begun, Question } from "../api/types";
import { Stage } from "../canvas/Stage";
import { answerCommands, ARROWS, type Commands, MAIN, ZOOM } from "../keyboard/commands";
import type { KeyHandler } from "../keyboard/listener";
import { useCommands } from "../keyboard/controls";
import { SightContext, usePictureInSight } from "../labelling/sight";
import { glued } from "../labelling/views/Captions";
import { Frame } from "../labelling/views/Frame";
import { rich, t } from "../t";
import { Answers, type Choice } from "./choice";
import { CROWD, MAN_IN_HAT, plain, TWO_DOGS } from "./examples";
import { STREET } from "./street";
import type { ScreenProps, Sketch, TaskScreen } from "./task";

type Answer = AnswerTo<"caption_check">;
type Verdict = Answer["verdict"];

/** Once the words have numbers, the answers have only their letters. */
const choices = (numbered: boolean): readonly Choice<Verdict>[] => [
  { value: "correct", keys: numbered ? ["y"] : ["1", "y"], label: t("Correct"), hint: t("every word fits the picture") },
  { value: "wrong", keys: numbered ? ["n"] : ["2", "n"], label: t("Wrong"), hint: t("one word does not fit") },
];

/** The words of the caption, in order. Offsets count code points. */
function wordsOf({ survey }: Question): string[] {
  if (!survey || !("words" in survey)) return [];
  const letters = Array.from(survey.caption);
  return survey.words.map(([start, end]) => letters.slice(start, end).join(""));
}

/** What was typed as one line of printable characters; nothing if nothing is left. */
const asWord = (typed = ""): { right?: string } => {
  const right = typed.replace(/\s+/g, " ").replace(/\p{C}/gu, "").trim();
  return right ? { right } : {};
};

function CaptionCheck({ question, answer, onAnswer, onChange, disabled, tried = null }: ScreenProps<Answer>) {
  const sight = useContext(SightContext);
  const [own, keep] = useState(answer);
  const [asked, ask] = useState(0);
  const column = useRef<HTMLDivElement>(null);
  const given = tried ? answer : own;
  const wrong = given?.verdict === "wrong" ? given : null;
  const picked = wrong?.word === undefined ? null : wrong;
  const words = wordsOf(question);
  const change = (next: Begun<Answer>): void => {
    keep(next);
    onChange(next);
  };
  const decide = (verdict: Verdict): void => {
    if (verdict === "correct") onAnswer({ verdict });
    else if (sight?.state === "look") sight.look();
    else if (sight?.state !== "wait") {
      if (!wrong) change({ verdict });
      ask(asked + 1);
    }
  };
  const finish = (): void => {
    if (picked) onAnswer({ verdict: "wrong", word: picked.word, ...asWord(picked.right) });
  };
  const into = (field: string): void => column.current?.querySelector<HTMLInputElement>(field)?.focus();
  // Arrow keys act on the words at once, and what is asked now is read aloud.
  useLayoutEffect(() => {
    if (asked) into(".token :checked, .token input");
  }, [asked]);
  return (
    <Frame
      picture={<Stage image={question.image} label={t("The picture")} onLoading={usePictureInSight()} />}
      ask={wrong ? t("Which word is wrong?") : t("Is this caption correct?")}
      whole={{ rest: t("More of the caption"), first: t("First read the whole caption.") }}
    >
      <div ref={column} class="check">
        <CaptionWords
          {...{ words, disabled }}
          language={question.language}
          picked={picked?.word ?? null}
          open={wrong !== null}
          onPick={(word) => change({ ...wrong, verdict: "wrong", word })}
          onEnter={() => into(".right")}
        />
        <Answers choices={choices(wrong !== null)} chosen={given?.verdict ?? null} onAnswer={decide} disabled={disabled} />
        <div class="instead">
          {picked && (
            <RightWord
              {...{ disabled }}
              wrong={words[picked.word] ?? ""}
              language={question.language}
              right={picked.right ?? ""}
              onChange={(right) => change({ ...picked, right })}
              onDone={finish}
            />
          )}
        </div>
      </div>
    </Frame>
  );
}

const PICK = { label: t("After Wrong: pick the word with this number") };
/** The digits that pick the words of a caption. */
const WORDS: Commands = Object.fromEntries(Array.from("0123456789", (digit) => [digit, { keys: [digit], ...PICK }]));
/** Handled by the words themselves. For the help. */
const WORD_STEPS = { steps: { keys: Object.keys(ARROWS), label: t("After Wrong: pick a word") } } as const satisfies Commands;

interface CaptionWordsProps {
  words: readonly string[];
  /** Of the caption, as a BCP 47 tag; "": unknown. */
  language: string;
  /** The place of the wrong word; null: none yet. */
  picked: number | null;
  /** Whether a word is to be picked. */
  open: boolean;
  onPick: (word: number) => void;
  /** Enter, once a word is picked. */
  onEnter: () => void;
  disabled: boolean;
}

/**
 * The caption, large; and the same words as buttons to pick one from. Both have the same place, which is large enough
 * for either, so that nothing below moves.
 */
function CaptionWords({ words, language, picked, open, onPick, onEnter, disabled }: CaptionWordsProps) {
  const name = useId();
  const group = useRef<HTMLFieldSetElement>(null);
  const typed = useRef("");
  const pick = (word: number): void => {
    group.current?.querySelectorAll("input")[places.indexOf(word)]?.focus();
    onPick(word);
  };
  const places = words.flatMap((word, i) => (isWord(word) ? i : []));
  useCommands(WORDS, open ? numberKeys(places, typed, disabled ? null : pick) : {});
  const move = (event: KeyboardEvent): void => {
    const step = stepOf(event, getComputedStyle(event.currentTarget as Element).direction === "rtl");
    if (event.key === "Enter" && picked !== null) onEnter();
    else if (step !== 0) pick(nextOf(places, picked, step));
    else return;
    typed.current = "";
    event.preventDefault();
  };
  return (
    <div class={open ? "caption picking" : "caption"} data-judged lang={language || undefined} dir="auto">
      <p>{glued(words.join(" "))}</p>
      <fieldset ref={group} onKeyDown={move}>
        <legend class="unseen">{t("Which word is wrong?")}</legend>
        {words.map((word, i) =>
          isWord(word) ? (
            <label key={i} class="token">
              <input type="radio" name={name} value={i} checked={picked === i} disabled={disabled || !open} onClick={() => onPick(i)} />
              <small aria-hidden="true">{places.indexOf(i) + 1}</small>
              <span>{word}</span>
            </label>
          ) : <span key={i}>{word}</span>,
        )}
      </fieldset>
    </div>
  );
}

/** A full stop of its own is part of the caption, but no word. */
const isWord = (token: string): boolean => /[\p{L}\p{N}]/u.test(token);

/** How far an arrow key moves the choice; 0: another key. */
function stepOf({ key, altKey, ctrlKey, metaKey }: KeyboardEvent, rtl: boolean): number {
  if (altKey || ctrlKey || metaKey) return 0;
  const onward = rtl ? "ArrowLeft" : "ArrowRight";
  if (key === onward || key === "ArrowDown") return 1;
  return key === "ArrowUp" || key === "ArrowLeft" || key === "ArrowRight" ? -1 : 0;
}

/** The place of the word after or before the picked one, round in a circle; without a picked one, the first or the last. */
function nextOf(places: readonly number[], picked: number | null, step: number): number {
  const from = picked === null ? (step > 0 ? -1 : 0) : places.indexOf(picked);
  return places.at((from + step) % places.length) ?? 0;
}

/** Keys that pick a word by its number: 1, then 2 is word 12 if there is one, else word 2. `typed`: the digits so far. */
function numberKeys(places: readonly number[], typed: { current: string }, pick: ((word: number) => void) | null): Record<string, KeyHandler | null> {
  const type = (digit: string): void => {
    const number = [typed.current + digit, digit].find((one) => one[0] !== "0" && Number(one) <= places.length) ?? "";
    typed.current = number;
    const word = places[Number(number) - 1];
    if (word !== undefined) pick?.(word);
  };
  return Object.fromEntries(Array.from("0123456789", (digit) => [digit, pick && (() => type(digit))]));
}

/** As many characters as the server takes. */
const LONGEST = 60;

interface RightWordProps {
  wrong: string;
  /** Of the caption, as a BCP 47 tag; "": unknown. */
  language: string;
  right: string;
  onChange: (right: string) => void;
  onDone: () => void;
  disabled: boolean;
}

/** A field for the word that would be right instead of the wrong one. It may stay empty. */
function RightWord({ wrong, language, right, onChange, onDone, disabled }: RightWordProps) {
  useCommands(MAIN, { press: disabled ? null : onDone });
  const send = (event: SubmitEvent): void => {
    event.preventDefault();
    onDone();
  };
  return (
    <form onSubmit={send}>
      <label class="field">
        <span>
          {rich("Which word would be right instead of “{word}”? (optional)", { word: <bdi lang={language || undefined}>{wrong}</bdi> })}
        </span>
        <input
          class="right"
          name="right"
          value={right}
          maxLength={LONGEST}
          lang={language || undefined}
          dir="auto"
          autocomplete="off"
          autocapitalize="none"
          enterkeyhint="next"
          disabled={disabled}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
      </label>
      <button type="submit" class="primary" data-next disabled={disabled}>{t("Go on")} <kbd>Enter</kbd></button>
    </form>
  );
}

/** The caption, with the place of each word in code points. */
function captionOf(caption: string): NonNullable<Question["survey"]> {
  const words = Array.from(caption.matchAll(/\S+/g)).map(({ 0: word, index }): [number, number] => {
    const start = Array.from(caption.slice(0, index)).length;
    return [start, start + Array.from(word).length];
  });
  return { caption, words };
}

const correct = (scene: string, caption: string, why: string): Sketch => ({
  scene,
  captions: [caption],
  survey: captionOf(caption),
  answer: { verdict: "correct" },
  said: t("Correct"),
  why,
});

/** A caption whose wrong word stands between asterisks. */
const wrong = (scene: string, marked: string, right: string, why: string): Sketch => ({
  scene,
  captions: [marked],
  survey: captionOf(plain(marked)),
  answer: { verdict: "wrong", word: (marked.split("*")[0] ?? "").split(" ").length - 1, right },
  said: t("Wrong"),
  why,
});

export const CAPTION_CHECK: TaskScreen<"caption_check"> = {
  Screen: CaptionCheck,
  commands: [answerCommands(choices(false)), WORDS, WORD_STEPS, ZOOM],
  rule: {
    title: t("Is this caption correct?"),
    sentences: [
      t("Each caption describes its picture. In some of them one word was replaced by another, which does not fit."),
      t("Correct: every word of the caption fits the picture."),
      t("Wrong: one word does not fit. Pick this word. If you know which word would be right, type it; the field may stay empty."),
      t("A caption is not wrong because it leaves something out, or because of its spelling."),
    ],
    gesture: t("Read the caption to its last word, and find each thing in the picture. Then press Correct (1) or Wrong (2), and after Wrong the word."),
    examples: [
      wrong(TWO_DOGS, t("Two *cats* stand on the grass"), t("dogs"), t("They are dogs.")),
      correct(STREET, t("A person in a city street"), t("It says little, but all of it fits.")),
      wrong(MAN_IN_HAT, t("A man in a red *scarf*"), t("hat"), t("He wears a red hat, but no scarf.")),
      correct(CROWD, plain(t("Many people *stand* close together")), t("Every word fits.")),
    ],
  },
  mistakes: {
    "refused caption": t("You called a correct caption wrong."),
    "accepted foil": t("You called a caption correct although one word is wrong."),
    "other word": t("You picked another word than the wrong one."),
  },
  mistakeIn: ({ answer }, given) => {
    const right = answer as Answer;
    if (given.verdict === "correct") return right.verdict === "correct" ? null : "accepted foil";
    if (right.verdict === "correct") return "refused caption";
    return right.word === given.word ? null : "other word";
  },
};
