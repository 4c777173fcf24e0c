/** All that was said about the chosen chain: answers, skips and reports; and the acts of experts on the image. */

import type { Bench, Check } from "./data";
import { localTime } from "../../local_time";

const When = ({ at }: { readonly at: string }) => <time dateTime={at}>{localTime(new Date(at))}</time>;
const seconds = (taken: number | null): string => (taken === null ? "" : `${String(Math.round(taken))} s`);

export function AnswerList({ bench, chosen }: { readonly bench: Bench; readonly chosen: number | null }) {
  const own = <T extends { readonly chains: readonly number[] }>(rows: readonly T[]): readonly T[] =>
    chosen === null ? rows : rows.filter((one) => one.chains.includes(chosen));
  const [judgments, skips, reports] = [own(bench.judgments), own(bench.skips), own(bench.reports)];
  const number = bench.chains.find((one) => one.name === chosen)?.number;
  return (
    <section class="told" aria-labelledby="told" tabIndex={0}>
      <h2 id="told">{number === undefined ? "What was said" : `What was said about chain ${String(number)}`}</h2>
      {reports.length > 0 && (
        <ul>
          {reports.map((one, index) => (
            <li key={index} class="reported">
              <b>{one.who}</b> reports the {one.what} as wrong{one.reason && `: “${one.reason}”`} <span class="about"><When at={one.at} /></span>
            </li>
          ))}
        </ul>
      )}
      {judgments.length === 0 && reports.length === 0 && <p class="hint">Nobody has answered a question about it.</p>}
      <ul>
        {judgments.map((one) => (
          <li key={one.id} class={one.mark ? "void" : ""}>
            <span class="task">{one.task}</span> {one.about && `${one.about}: `}<b>{one.answer}</b> {one.mark && <span class="chip">{one.mark}</span>}
            <span class="about">{[one.worker, seconds(one.seconds)].filter(Boolean).join(" · ")} · <When at={one.at} /></span>
            {one.comment && <q>{one.comment}</q>}
          </li>
        ))}
        {skips.map((one, index) => (
          <li key={`skip ${String(index)}`} class="void">
            <span class="task">{one.task}</span> <b>skipped</b>: {one.reason}
            <span class="about">{one.worker} · <When at={one.at} /></span>
            {one.comment && <q>{one.comment}</q>}
          </li>
        ))}
      </ul>
      {bench.acts.length > 0 && (
        <details>
          <summary>Acts of experts on this image ({bench.acts.length})</summary>
          <ul>
            {[...bench.acts].reverse().map((one) => (
              <li key={one.entry} class={one.undone ? "void" : ""}>
                <b>{one.words}</b> {one.undone && <span class="chip">undone</span>}
                <span class="about">{one.actor} · <When at={one.at} /></span>
                {one.reason && <q>{one.reason}</q>}
              </li>
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}

export function Changed({ check }: { readonly check: Check }) {
  if (!check.kinds.length)
    return check.decision ? <p class="changed"><span class="chip">{check.decision}</span> This label is as the data set has it.</p> : null;
  return (
    <section class="changed" aria-labelledby="changed">
      <h2 id="changed">Changed by the check</h2>
      <p>{check.kinds.map((one) => <span key={one} class="chip">{one}</span>)}</p>
      <dl>
        <dt>Before</dt>
        {check.texts.map((one) => <dd key={one} dir="auto">{one}</dd>)}
        {check.texts.length === 0 && <dd>no label</dd>}
        {check.sources.length > 0 && <><dt>Found by</dt><dd>{check.sources.join(", ")}</dd></>}
        <dt>State</dt><dd>{check.decision}</dd>
      </dl>
      {check.boxes.length > 0 && <p class="hint">Dotted in the picture: the boxes before.</p>}
    </section>
  );
}
