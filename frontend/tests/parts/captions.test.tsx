import { render } from "@testing-library/preact";
import { describe, expect, it } from "vitest";
import { Captions, phraseOf, pieces } from "../../src/parts/Captions";
import { caption } from "../support/samples";

describe("captions", () => {
  it("are cut at their phrases", () => {
    const { text, phrases } = caption(0, "*A man* pets *two dogs* .");
    const turned = { number: 0, text, phrases: [...phrases].reverse() };
    expect(pieces(turned).map((piece) => [piece.text, piece.marked])).toEqual([
      ["A man", true],
      [" pets ", false],
      ["two dogs", true],
      [" .", false],
    ]);
  });

  it("count an emoji before a phrase as one character", () => {
    const happy = { number: 0, text: "🎸👩‍🎤 sings to a crowd", phrases: [{ mention: 1, start: 14, end: 21 }] };
    expect(phraseOf([happy])).toBe("a crowd");
  });

  it("show the whole text and mark the phrase", () => {
    const { container } = render(<Captions captions={[caption(0, "🎸 *A man* plays")]} />);
    expect(container.textContent).toBe("🎸 A man plays");
    expect(container.querySelector("mark")?.textContent).toBe("A man");
  });

  it("of a pair are told apart by a letter", () => {
    const { container } = render(<Captions captions={[caption(0, "*A man* waits"), caption(1, "*He* waits")]} pair />);
    const marks = [...container.querySelectorAll("mark")];
    expect(marks.map((mark) => mark.querySelector(".letter")?.textContent)).toEqual(["A", "B"]);
    expect(marks.map((mark) => mark.className)).toEqual(["phrase a", "phrase b"]);
  });
});
