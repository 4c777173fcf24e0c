// Asks for the numbers again every ten seconds, and not at all while the tab is hidden.
const EVERY_MS = 10_000;

interface Need {
  count: number;
  label: string;
  words: string;
  url: string;
}
interface Live {
  texts: Record<string, string>;
  needs: Need[];
}

export function follow(root: HTMLElement, address: string): () => void {
  let timer = 0;
  let asking: AbortController | null = null;

  async function ask(): Promise<void> {
    const { signal } = (asking = new AbortController());
    try {
      const answer = await fetch(address, { signal, headers: { Accept: "application/json" } });
      // Signed out or no member any more: what is shown stays, and nothing is asked again.
      if (answer.redirected || answer.status === 403 || answer.status === 404) return;
      if (answer.ok) show(root, (await answer.json()) as Live);
    } catch {
      // The network or the service is away for a moment: the next request tells.
    }
    if (!document.hidden && !signal.aborted) timer = window.setTimeout(() => void ask(), EVERY_MS);
  }

  function look(): void {
    window.clearTimeout(timer);
    asking?.abort();
    if (!document.hidden) void ask();
  }

  document.addEventListener("visibilitychange", look);
  if (!document.hidden) timer = window.setTimeout(() => void ask(), EVERY_MS);
  return () => {
    window.clearTimeout(timer);
    document.removeEventListener("visibilitychange", look);
  };
}

export function show(root: HTMLElement, live: Live): void {
  for (const place of root.querySelectorAll<HTMLElement | SVGElement>("[data-live]")) {
    const text = live.texts[place.dataset.live ?? ""];
    if (text !== undefined && place.textContent !== text) place.textContent = text;
  }
  const list = root.querySelector("[data-needs]");
  const none = root.querySelector<HTMLElement>("[data-no-needs]");
  if (!list || !none) return;
  const made = live.needs.map(item);
  // Untouched while nothing changes: a link that has the focus keeps it.
  const wanted = made.map((one) => one.textContent).join();
  if (wanted !== Array.from(list.children, (one) => one.textContent?.replace(/\s+/g, " ").trim()).join()) {
    list.replaceChildren(...made);
  }
  none.hidden = live.needs.length > 0;
}

function item(need: Need): HTMLLIElement {
  const row = document.createElement("li");
  const link = document.createElement("a");
  link.href = need.url;
  const count = document.createElement("b");
  count.textContent = String(need.count);
  const label = document.createElement("span");
  const words = document.createElement("small");
  words.textContent = need.words;
  label.append(`${need.label} `, words);
  link.append(count, " ", label);
  row.append(link);
  return row;
}
