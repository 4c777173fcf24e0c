/** Times in the reader's own zone. The server writes them in UTC (workers/rules/texts.py). */

const WRITTEN = /\b\d{1,2} [A-Z][a-z]{2} \d{4}, \d{2}:\d{2} UTC\b/g;

/** "22 Nov 2026, 18:41 CET". `zone`: the browser's, unless a test names one. */
export function localTime(moment: Date, zone?: string): string {
  const language = document.documentElement.lang;
  const form = new Intl.DateTimeFormat(language === "en" ? "en-GB" : language || undefined, {
    ...{ day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit", timeZoneName: "short" },
    hourCycle: "h23",
    ...(zone ? { timeZone: zone } : {}),
  } as Intl.DateTimeFormatOptions);
  return form.format(moment);
}

/** The text with the server's times in the reader's zone. */
export const withLocalTimes = (text: string, zone?: string): string =>
  text.replace(WRITTEN, (written) => localTime(new Date(written.replace(",", "")), zone));

/** Show every time of the page in the reader's zone. */
export function localize(page: ParentNode, zone?: string): void {
  for (const time of page.querySelectorAll<HTMLTimeElement>("time[datetime]")) {
    const moment = new Date(time.dateTime);
    if (!Number.isNaN(moment.getTime())) time.textContent = localTime(moment, zone);
  }
}
