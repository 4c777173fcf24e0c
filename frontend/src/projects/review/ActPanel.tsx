/** The panel of one act: its fields, what it would change, and the reason. Nothing happens before it is confirmed. */

import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { problemInWords } from "../page";
import { type ActDraft, ACTS, drawsBox, type Target, wantedOf } from "./acts";
import { act, type Bench, type Effects, type Place, previewAct, textsOf } from "./data";

interface Props {
  readonly place: Place;
  readonly draft: ActDraft;
  readonly target: Target;
  /** Grows when the box that was drawn is confirmed on the picture. */
  readonly confirmed: number;
  readonly onDraft: (change: Partial<ActDraft>) => void;
  readonly onDone: (bench: Bench, words: string) => void;
  readonly onClose: () => void;
}

const REASON_LENGTH = 500;

export function ActPanel({ place, draft, target, confirmed, onDraft, onDone, onClose }: Props) {
  const form = useRef<HTMLFormElement>(null);
  const [effects, setEffects] = useState<Effects | null>(null);
  const [problem, setProblem] = useState("");
  const [reason, setReason] = useState("");
  const [unsaid, setUnsaid] = useState(false);
  const [busy, setBusy] = useState(false);
  const { bench, chain } = target;
  const wanted = wantedOf(draft, target);
  const key = JSON.stringify([wanted, bench.sequence]);
  const { name } = ACTS[draft.kind];
  const draws = drawsBox(draft.kind);

  useEffect(() => {
    setEffects(null);
    setProblem("");
    if (!wanted) return;
    let current = true;
    previewAct(place, wanted).then(
      (found) => current && setEffects(found),
      (error: unknown) => current && setProblem(problemInWords(error)),
    );
    return () => {
      current = false;
    };
  }, [key]);
  useLayoutEffect(() => {
    // Where a box is drawn, the keys belong to the picture until Enter confirms the box.
    if (draws && !confirmed) return;
    const fields = form.current;
    const field = draws ? "[name=reason]" : fields?.querySelector("input:checked") ? "input:checked" : "input";
    fields?.querySelector<HTMLElement>(field)?.focus();
  }, [draft.kind, confirmed]);

  const send = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (!wanted || !effects || busy) return;
    if (effects.needs_reason && !reason.trim()) {
      setUnsaid(true);
      form.current?.querySelector<HTMLElement>("[name=reason]")?.focus();
      return;
    }
    setBusy(true);
    try {
      onDone(await act(place, wanted, effects.sequence, reason, chain?.name ?? null), name);
    } catch (error) {
      setProblem(problemInWords(error));
      setBusy(false);
    }
  };
  return (
    <form ref={form} class="act" aria-labelledby="act-name" noValidate onSubmit={(event) => void send(event)}>
      <h2 id="act-name">{name}</h2>
      <Fields {...{ draft, onDraft, ...target }} />
      <div class="effects" role="status">
        {effects && <ul>{effects.changes.map((one) => <li key={one}>{one}</li>)}</ul>}
        {wanted && !effects && !problem && <p class="hint">Finding out what this changes …</p>}
      </div>
      {problem && <p class="error" role="alert">{problem}</p>}
      <label class="why">
        {effects?.needs_reason ? "Reason (needed: this undoes paid work)" : "Reason (kept in the record)"}
        <input name="reason" maxLength={REASON_LENGTH} required={effects?.needs_reason ?? false} value={reason} onInput={(event) => { setReason(event.currentTarget.value); setUnsaid(false); }} autoComplete="off" aria-invalid={unsaid} aria-describedby={unsaid ? "reason-error" : undefined} />
      </label>
      {unsaid && <p class="error" role="alert" id="reason-error">Nothing was done yet: say why. This undoes work that was paid, and others will want to know.</p>}
      <p class="steps">
        <button class="main" disabled={!effects || busy}>{name} <kbd>Enter</kbd></button>
        <button type="button" onClick={onClose}>Cancel <kbd>Esc</kbd></button>
      </p>
    </form>
  );
}

type FieldsProps = Pick<Props, "draft" | "onDraft"> & Target;

interface ChoiceOf<T> {
  readonly legend: string;
  readonly name: string;
  readonly options: readonly (readonly [value: T, label: string])[];
}

interface OptionsOf<T> extends ChoiceOf<T> {
  readonly type: "radio" | "checkbox";
  readonly isChosen: (one: T) => boolean;
  readonly onChoose: (one: T) => void;
}

function Options<T extends string | number | boolean>({ legend, name, options, type, isChosen, onChoose }: OptionsOf<T>) {
  return (
    <fieldset>
      <legend>{legend}</legend>
      {options.map(([one, label]) => (
        <label key={String(one)}>
          <input {...{ type, name }} checked={isChosen(one)} onChange={() => onChoose(one)} /> {label}
        </label>
      ))}
    </fieldset>
  );
}

function One<T extends string | number | boolean>({ value, onValue, ...more }: ChoiceOf<T> & { readonly value: T | undefined; readonly onValue: (value: T) => void }) {
  return <Options {...more} type="radio" isChosen={(one) => one === value} onChoose={onValue} />;
}

function Some<T extends string | number>({ values, onValues, ...more }: ChoiceOf<T> & { readonly values: readonly T[]; readonly onValues: (values: readonly T[]) => void }) {
  const change = (one: T): void => onValues(values.includes(one) ? values.filter((other) => other !== one) : [...values, one]);
  return <Options {...more} type="checkbox" isChosen={(one) => values.includes(one)} onChoose={change} />;
}

function Fields({ draft, bench, chain, onDraft }: FieldsProps) {
  const named = (numbers: readonly number[]) =>
    bench.mentions.filter((one) => numbers.includes(one.number)).map((one) => [one.number, `“${one.text}” in caption ${String(one.caption + 1)}`] as const);
  const all = named(bench.mentions.map((one) => one.number));
  const types = bench.types.map((one) => [one, one] as const);
  const steps = bench.destinations.filter((one) => draft.kind === "send" || !["complete", "non-visual"].includes(one));
  const [first, second] = draft.mentions;
  const typed = <Some legend="Types" name="types" options={types} values={draft.types} onValues={(values) => onDraft({ types: values })} />;
  switch (draft.kind) {
    case "send":
    case "ask":
      return (
        <>
          <One legend="The chain goes to" name="to" options={steps.map((one) => [one, one] as const)} value={draft.to} onValue={(to) => onDraft({ to })} />
          {draft.to === "non-visual" && (
            <One legend="Because it is" name="kind" options={[["scene", "the whole scene"], ["no box", "nothing to draw a box around"]]} value={draft.nonVisual} onValue={(nonVisual) => onDraft({ nonVisual })} />
          )}
        </>
      );
    case "join":
      return <Some legend="Chains that become one" name="chains" options={bench.chains.map((one) => [one.name, `${String(one.number)}: ${textsOf(bench.mentions, one.mentions)}`] as const)} values={draft.chains} onValues={(chains) => onDraft({ chains })} />;
    case "part":
      return <Some legend="Phrases that leave the chain" name="mentions" options={named(chain?.mentions ?? [])} values={draft.mentions} onValues={(mentions) => onDraft({ mentions })} />;
    case "link": {
      const others = all.filter(([number]) => number !== first);
      return (
        <>
          <One legend="One phrase" name="first" options={named(chain?.mentions ?? [])} value={first} onValue={(one) => onDraft({ mentions: [one] })} />
          <One legend="The other" name="second" options={others} value={second} onValue={(one) => onDraft({ mentions: first === undefined ? [] : [first, one] })} />
          <One legend="They are" name="same" options={[[true, "the same"], [false, "different"]]} value={draft.same} onValue={(same) => onDraft({ same })} />
        </>
      );
    }
    case "type": {
      const choose = (one: number): void => onDraft({ mentions: [one], types: bench.mentions.find((mention) => mention.number === one)?.types ?? [] });
      return (
        <>
          <One legend="Phrase" name="mention" options={named(chain?.mentions ?? [])} value={first} onValue={choose} />
          {typed}
        </>
      );
    }
    case "chunk":
      return (
        <>
          <Some legend="Phrases to take away" name="remove" options={all} values={draft.mentions} onValues={(mentions) => onDraft({ mentions })} />
          <Span {...{ draft, bench, onDraft }} />
          {draft.span && typed}
        </>
      );
    case "draw":
    case "move":
      return <p class="hint">Draw on the picture: drag, or press B for a box that arrow keys move, E for its corners. Enter goes on.</p>;
    default:
      return null;
  }
}

/** A new phrase: press its first and its last word. */
function Span({ draft, bench, onDraft }: Pick<FieldsProps, "draft" | "bench" | "onDraft">) {
  const { span } = draft;
  const press = (caption: number, word: number): void => {
    const begun = span && span[0] === caption && span[1] === span[2] && word !== span[1];
    onDraft({ span: begun ? [caption, Math.min(span[1], word), Math.max(span[1], word)] : [caption, word, word] });
  };
  return (
    <fieldset>
      <legend>New phrase: press its first and its last word</legend>
      {bench.captions.map((caption) => (
        <p key={caption.number} class="span" dir="auto">
          {caption.words.map((word, index) => (
            <button key={index} type="button" aria-pressed={span !== null && span[0] === caption.number && index >= span[1] && index <= span[2]} onClick={() => press(caption.number, index)}>
              {word}
            </button>
          ))}
        </p>
      ))}
      {span && <button type="button" onClick={() => onDraft({ span: null })}>No new phrase</button>}
    </fieldset>
  );
}
