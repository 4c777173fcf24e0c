import { beforeEach, describe, expect, it, vi } from "vitest";
import { backoff, makeKeepTrying, makeSaver, pauseUntilOnline } from "../../src/labelling/retry";
import { Unreachable } from "../../src/api/client";

describe("a call that does not get through", () => {
  it("waits 1, 2, 4, ... and at most 30 seconds", () => {
    expect([0, 1, 2, 3, 4, 5, 9].map(backoff)).toEqual([1000, 2000, 4000, 8000, 16000, 30000, 30000]);
  });

  it("is repeated until it does, and says so meanwhile", async () => {
    const waits: number[] = [];
    const troubles: number[] = [];
    const pause = async (wait: number): Promise<void> => void waits.push(wait);
    const keepTrying = makeKeepTrying({ pause, onTrouble: (waiting) => troubles.push(waiting) });
    const attempt = vi.fn<() => Promise<string>>();
    attempt.mockRejectedValueOnce(new Unreachable()).mockRejectedValueOnce(new Unreachable()).mockResolvedValue("stored");
    expect(await keepTrying(attempt)).toBe("stored");
    expect(waits).toEqual([1000, 2000]);
    expect(troubles).toEqual([1, 1, 0]);
  });

  it("is not repeated when the server says no", async () => {
    const onTrouble = vi.fn();
    const keepTrying = makeKeepTrying({ pause: () => Promise.resolve(), onTrouble });
    const attempt = vi.fn(() => Promise.reject(new Error("no")));
    await expect(keepTrying(attempt)).rejects.toThrow("no");
    expect(attempt).toHaveBeenCalledOnce();
    expect(onTrouble).not.toHaveBeenCalled();
  });

  it("is given up when nobody wants its answer any more", async () => {
    const keepTrying = makeKeepTrying({ pause: () => Promise.resolve(), onTrouble: () => undefined });
    let wanted = 3;
    await expect(keepTrying(() => Promise.reject(new Unreachable()), () => --wanted > 0)).rejects.toThrow(Unreachable);
    expect(wanted).toBe(0);
  });
});

describe("with a clock", () => {
  beforeEach(() => void vi.useFakeTimers({ now: 0 }));

  it("a pause ends when the network is back", async () => {
    const over = vi.fn();
    void pauseUntilOnline(30_000).then(over);
    await vi.advanceTimersByTimeAsync(500);
    expect(over).not.toHaveBeenCalled();
    window.dispatchEvent(new Event("online"));
    await vi.advanceTimersByTimeAsync(0);
    expect(over).toHaveBeenCalledOnce();
    expect(vi.getTimerCount()).toBe(0);
  });

  it("a pause ends by itself", async () => {
    const over = vi.fn();
    void pauseUntilOnline(2000).then(over);
    await vi.advanceTimersByTimeAsync(2000);
    expect(over).toHaveBeenCalledOnce();
  });

  it("changes are saved at once, and then at most every ten seconds", async () => {
    const save = vi.fn(() => Promise.resolve());
    const saver = makeSaver(save, 10_000);
    saver.touch();
    await vi.advanceTimersByTimeAsync(0);
    expect(save).toHaveBeenCalledTimes(1);
    for (let i = 0; i < 9; i++) {
      saver.touch();
      await vi.advanceTimersByTimeAsync(1000);
    }
    expect(save).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(1000);
    expect(save).toHaveBeenCalledTimes(2);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(save).toHaveBeenCalledTimes(2);
  });

  it("one save waits for the other", async () => {
    let finish: () => void = () => undefined;
    const save = vi.fn(() => new Promise<void>((resolve) => (finish = resolve)));
    const saver = makeSaver(save, 10_000);
    saver.touch();
    await vi.advanceTimersByTimeAsync(0);
    saver.touch();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(save).toHaveBeenCalledTimes(1);
    finish();
    await vi.advanceTimersByTimeAsync(0);
    expect(save).toHaveBeenCalledTimes(2);
  });

  it("a page that is hidden saves at once, if there is anything to save", async () => {
    const save = vi.fn(() => Promise.resolve());
    const saver = makeSaver(save, 10_000);
    saver.flush();
    expect(save).not.toHaveBeenCalled();
    saver.touch();
    await vi.advanceTimersByTimeAsync(0);
    saver.touch();
    saver.flush();
    expect(save).toHaveBeenCalledTimes(2);
  });
});
