import { render } from "@testing-library/preact";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { Captions } from "../../src/labelling/views/Captions";
import { Frame, isAbove } from "../../src/labelling/views/Frame";
import { caption } from "../support/samples";

/** The pixels from the top of the screen to the captions and to each phrase. */
let tops: { captions: number; phrase: number };

beforeEach(() => {
  vi.spyOn(Element.prototype, "getBoundingClientRect").mockImplementation(function (this: Element) {
    return new DOMRect(0, this.matches(".captions") ? tops.captions : tops.phrase);
  });
});

function show(captions: number, phrase: number): { list: Element; mark: Element } {
  tops = { captions, phrase };
  const { container } = render(
    <Frame picture={null} ask="">
      <Captions captions={[caption(0, "A man pets *two dogs* .")]} />
    </Frame>,
  );
  const [list, mark] = [container.querySelector(".captions"), container.querySelector(".phrase")];
  if (!list || !mark) throw new Error("There is no caption.");
  return { list, mark };
}

describe("a marked phrase", () => {
  it("has its captions scrolled to the line before it", () => {
    expect(show(100, 400).list.scrollTop).toBe(264);
  });

  it.each([
    ["in captions that are scrolled past it", 100, 90, true],
    ["in captions that are scrolled to it", 100, 110, false],
    ["over the screen, with its captions", -50, -20, true],
    ["on the screen, while its captions begin over it", -50, 10, false],
  ])("%s is above what is shown, or not", (_, captions, phrase, above) => {
    expect(isAbove(show(captions, phrase).mark)).toBe(above);
  });
});
