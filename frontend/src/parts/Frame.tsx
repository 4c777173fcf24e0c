import type { ComponentChildren } from "preact";

/** The layout of every screen: the picture, and the question beside it (on a phone: below it). */
export function Frame({ picture, ask, children }: { picture: ComponentChildren; ask: string; children: ComponentChildren }) {
  return (
    <div class="frame">
      <div class="view">{picture}</div>
      <div class="column">
        <h1 class="ask">{ask}</h1>
        {children}
      </div>
    </div>
  );
}
