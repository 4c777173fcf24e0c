import { fireEvent, render, waitFor } from "@testing-library/preact";
import { type ComponentChildren, render as draw } from "preact";
import { describe, expect, it, vi } from "vitest";
import { lateParts } from "../../src/labelling/views/late";

const Greeting = ({ name }: { name: string }) => <p>Hello {name}</p>;
const Waiting = () => <p>Loading …</p>;

function partsOf(load: () => Promise<{ Greeting: typeof Greeting }>) {
  const { later, preload } = lateParts(load);
  const failed = (words: ComponentChildren, { name }: { name: string }) => (
    <section>
      {words} {name}
    </section>
  );
  return { preload, Later: later<{ name: string }>((chunk) => chunk.Greeting, failed, Waiting) };
}

describe("a part that is loaded when it is first shown", () => {
  it("is not loaded before", async () => {
    const load = vi.fn(() => Promise.resolve({ Greeting }));
    const { Later } = partsOf(load);
    expect(load).not.toHaveBeenCalled();
    render(<Later name="Ada" />);
    await waitFor(() => expect(load).toHaveBeenCalledOnce());
  });

  it("says that it is loading, then is there", async () => {
    const { Later } = partsOf(() => Promise.resolve({ Greeting }));
    const { container } = render(<Later name="Ada" />);
    expect(container.textContent).toBe("Loading …");
    await waitFor(() => expect(container.textContent).toBe("Hello Ada"));
  });

  it("is there at once after another part of its chunk", async () => {
    const { Later, preload } = partsOf(() => Promise.resolve({ Greeting }));
    await preload();
    expect(render(<Later name="Ada" />).container.textContent).toBe("Hello Ada");
  });

  it("is there though its chunk came between its first sight and its effects", async () => {
    const { Later, preload } = partsOf(() => Promise.resolve({ Greeting }));
    const place = document.createElement("div");
    draw(<Later name="Ada" />, place); // effects run after the next frame
    expect(place.textContent).toBe("Loading …");
    await preload();
    await waitFor(() => expect(place.textContent).toBe("Hello Ada"));
  });

  it("says that it could not be loaded, and the page can be loaded again", async () => {
    const reload = vi.fn();
    vi.stubGlobal("location", { reload });
    const { Later } = partsOf(() => Promise.reject(new TypeError("Failed to fetch")));
    const { container } = render(<Later name="Ada" />);
    await waitFor(() => expect(container.querySelector("[role=alert]")?.textContent).toContain("could not be loaded"));
    fireEvent.click(container.querySelector("[data-reload]") as Element);
    expect(reload).toHaveBeenCalledOnce();
  });

  it("is asked for again when it is shown once more", async () => {
    const load = vi.fn(() => Promise.resolve({ Greeting }));
    load.mockRejectedValueOnce(new TypeError("Failed to fetch"));
    const { Later } = partsOf(load);
    const first = render(<Later name="Ada" />);
    await first.findByRole("alert");
    first.unmount();
    const { container } = render(<Later name="Ada" />);
    await waitFor(() => expect(container.textContent).toBe("Hello Ada"));
  });
});
