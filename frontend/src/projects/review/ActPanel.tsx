/** The panel of one act: its fields, what it would change, and the reason. Nothing happens before it is confirmed. */

import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { problemInWords } from "../page";
import { ACTS, type ActDraft, drawsBox, type Target, wantedOf } from "./acts";
import { act, type Bench, type Effects, type Place, previewAct } from "./data";
import { Fields } from "./Fields";

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
      <Fields draft={draft} bench={bench} chain={chain} onDraft={onDraft} />
      <div class="effects" role="status">
        {effects && (
          <ul>
            {effects.changes.map((one) => (
              <li key={one}>{one}</li>
            ))}
          </ul>
        )}
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
