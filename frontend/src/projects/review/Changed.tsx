/** What a check has made of the chosen label: what it was, who found that wrong, and who has decided about it. */

import type { Check } from "./data";

export function Changed({ check }: { readonly check: Check }) {
  if (!check.kinds.length)
    return check.decision ? <p class="changed"><span class="chip">{check.decision}</span> This label is as the data set has it.</p> : null;
  return (
    <section class="changed" aria-labelledby="changed">
      <h2 id="changed">Changed by the check</h2>
      <p>{check.kinds.map((one) => <span key={one} class="chip">{one}</span>)}</p>
      <dl>
        <dt>Before</dt>
        {check.said.map((one) => <dd key={one} dir="auto">{one}</dd>)}
        {check.said.length === 0 && <dd>no label</dd>}
        {check.found.length > 0 && <><dt>Found by</dt><dd>{check.found.join(", ")}</dd></>}
        <dt>State</dt><dd>{check.decision}</dd>
      </dl>
      {check.boxes.length > 0 && <p class="hint">Dotted in the picture: the boxes before.</p>}
    </section>
  );
}
