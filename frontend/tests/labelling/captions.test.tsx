import { render } from "@testing-library/preact";
import { describe, expect, it } from "vitest";
import { Captions, pairMarks, phrasesOf, pieces } from "../../src/labelling/views/Captions";
import { caption } from "../support/samples";

describe("captions", () => {
  it("are cut at their phrases", () => {
    const { text, phrases } = caption(0, "*A man* pets *two dogs* .");
    const turned = { number: 0, text, phrases: [...phrases].reverse() };
    expect(pieces(turned).map((piece) => [piece.text, piece.mention])).toEqual([
      ["A man", 1],
      [" pets ", undefined],
      ["two dogs", 2],
      [" .", undefined],
    ]);
  });

  it("count an emoji before a phrase as one character", () => {
    const happy = { number: 0, text: "🎸👩‍🎤 sings to a crowd", phrases: [{ mention: 1, start: 14, end: 21 }] };
    expect(phrasesOf([happy])).toEqual([{ text: "a crowd", mention: 1 }]);
  });

  it("show the whole text and mark the phrase", () => {
    const { container } = render(<Captions captions={[caption(0, "🎸 *A man* plays")]} />);
    expect(container.querySelector("li")?.textContent).toBe("🎸 marked: A man, end of mark plays");
  });

  it("of a pair are told apart by a letter", () => {
    const captions = [caption(0, "*A man* waits"), caption(1, "*He* waits")];
    const { container } = render(<Captions captions={captions} mark={pairMarks(captions)} />);
    const marks = [...container.querySelectorAll("mark")];
    expect(marks.map((mark) => mark.querySelector(".letter")?.textContent)).toEqual(["A", "B"]);
    expect(marks.map((mark) => mark.className)).toEqual(["phrase a", "phrase b"]);
  });

  it("show a caption once that holds both phrases of a pair", () => {
    const captions = [caption(0, "*A table* stands by *the table* .")];
    const { container } = render(<Captions captions={captions} mark={pairMarks(captions)} />);
    expect(container.querySelectorAll("li").length).toBe(1);
    const marks = [...container.querySelectorAll("mark")];
    expect(marks.map((mark) => mark.querySelector(".letter")?.textContent)).toEqual(["A", "B"]);
  });

  it("of many words scroll by themselves, by the keyboard, too", () => {
    const lists = ["*A dog* runs .", `${"It barks . ".repeat(50)}*It* runs .`].map((text) => {
      const { container } = render(<Captions captions={[caption(0, text)]} />);
      const list = container.querySelector("ul");
      return [list?.className, list?.getAttribute("tabindex")];
    });
    expect(lists).toEqual([["captions", null], ["captions long", "0"]]);
  });

  it("in Hebrew take their direction from their own words, not from a badge or a word of the page", () => {
    const asked = { captions: [caption(0, "*שני כלבים* רצים"), caption(1, "*הם* רצים")], language: "he" };
    const { container } = render(<Captions {...asked} mark={pairMarks(asked.captions)} />);
    expect(container.querySelector("ul")?.getAttribute("lang")).toBe("he");
    for (const line of container.querySelectorAll("li")) {
      expect(line.getAttribute("dir")).toBe("auto");
      for (const isolated of line.querySelectorAll("bdi")) isolated.remove();
      expect(line.textContent).not.toMatch(/[a-z]/i);
    }
  });

  it("have no language where the project has none", () => {
    const { container } = render(<Captions captions={[caption(0, "*A man* waits")]} language="" />);
    expect(container.querySelector("[lang='']")).toBeNull();
    expect(container.querySelector("ul")?.hasAttribute("lang")).toBe(false);
  });

  it("never leave a full stop alone on a line", () => {
    const { container } = render(<Captions captions={[caption(0, "Two dogs run in *the snow* .")]} />);
    expect(container.querySelector("li")?.lastChild?.textContent).toBe("\u00a0.");
    expect(container.textContent).toContain("Two dogs run");
  });

  it("that show no phrase are there to unfold", () => {
    const { container } = render(<Captions captions={[caption(0, "*A man* waits")]} others={[caption(1, "A tourist"), caption(4, "He")]} />);
    expect(container.querySelector("summary")?.textContent).toBe("2 other captions of this picture");
    expect([...container.querySelectorAll("details li")].map((line) => line.textContent)).toEqual(["A tourist", "He"]);
    expect(container.querySelector("details")?.open).toBe(false);
  });
});
