/** Full screen: the whole page where the browser can, and in any case a layout in which the picture fills the view. */

import { useEffect, useState } from "preact/hooks";

const page = document.documentElement;
const isFull = (): boolean => page.classList.contains("full");

/** Whether the layout is full, and a function that turns it on and off. It stays for the next questions. */
export function useFull(): [boolean, () => void] {
  const [full, setFull] = useState(isFull);
  const set = (on: boolean): void => {
    page.classList.toggle("full", on);
    setFull(on);
  };
  useEffect(() => {
    const leave = (): void => {
      if (!document.fullscreenElement) set(false);
    };
    document.addEventListener("fullscreenchange", leave);
    return () => document.removeEventListener("fullscreenchange", leave);
  }, []);
  const toggle = (): void => {
    set(!isFull());
    // A browser may refuse, for one in a platform's frame: the layout fills the frame all the same.
    if (isFull()) void page.requestFullscreen?.().catch(() => undefined);
    else if (document.fullscreenElement) void document.exitFullscreen();
  };
  return [full, toggle];
}
