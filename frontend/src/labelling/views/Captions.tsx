import type { VNode } from "preact";
import type { Caption, Question } from "../../api/types";
import { lang, many, rich, t } from "../../t";

interface Piece {
  text: string;
  /** The number of its mention; undefined: no phrase. */
  mention: number | undefined;
}

/** A caption cut at its phrases. Offsets count code points: an emoji before a phrase is one character. */
export function pieces({ text, phrases }: Caption): Piece[] {
  const letters = Array.from(text);
  const cut = (from: number, to?: number, mention?: number): Piece => ({
    text: letters.slice(from, to).join(""),
    mention,
  });
  const sorted = [...phrases].sort((p, q) => p.start - q.start);
  const found = sorted.flatMap(({ start, end, mention }, i) => [cut(sorted[i - 1]?.end ?? 0, start), cut(start, end, mention)]);
  return [...found, cut(sorted.at(-1)?.end ?? 0)].filter((piece) => piece.text);
}

/** So many characters are more lines than a phone shows beside the picture and the answers. */
const LONG = 450;

const isLong = ({ text }: Caption): boolean => text.length > LONG;

/** The phrases of a question, in the order of the captions. */
export const phrasesOf = (captions: readonly Caption[]): Piece[] =>
  captions.flatMap((caption) => pieces(caption).filter(({ mention }) => mention !== undefined));

/** A full stop after a space, as in data sets of separate words, must not begin a line of its own. */
export const glued = (text: string): string => text.replace(/ (?=[.,;:!?…،؛؟۔]+(?: |$))/g, "\u00a0");

/** What the captions of a question are shown with. */
export const captionsOf = ({ captions, language, other_captions: others }: Question) => ({ captions, language, others });

/** The look of a phrase. */
type MarkOf = (words: string, mention: number) => VNode;

interface Props {
  captions: readonly Caption[];
  /** The language of the captions; "": unknown. */
  language?: string;
  mark?: MarkOf | undefined;
  /** The captions without a phrase, folded. */
  others?: readonly Caption[];
}

/** Captions with their phrases marked. */
export function Captions({ captions, language, mark, others = [] }: Props) {
  const scrolls = captions.some(isLong);
  return (
    <>
      <ul class={scrolls ? "captions long" : "captions"} tabIndex={scrolls ? 0 : undefined} lang={language || undefined}>
        {captions.map((caption) => <Line key={caption.number} caption={caption} mark={mark} />)}
      </ul>
      {others[0] && (
        <details class="others">
          <summary>{many(others.length, "One other caption of this picture", "{n} other captions of this picture")}</summary>
          <ul class="captions" lang={language || undefined}>
            {others.map((caption) => <Line key={caption.number} caption={caption} />)}
          </ul>
        </details>
      )}
    </>
  );
}

/** One caption, in the direction of its own first letter, whatever the letters and words that the page adds. */
const Line = (props: MarkedProps) => <li dir="auto">{marked(props)}</li>;

interface MarkedProps {
  caption: Caption;
  mark?: MarkOf | undefined;
}

/** The words of a caption, with its phrases marked. */
export function marked({ caption, mark = (words) => <Mark text={words} /> }: MarkedProps) {
  return pieces(caption).map(({ text, mention }) => (mention === undefined ? glued(text) : mark(text, mention)));
}

/** The first phrase is called A, and the second B. */
export const pairMarks = (captions: readonly Caption[]): MarkOf => {
  const [first] = phrasesOf(captions);
  return (words, mention) => (mention === first?.mention ? <Mark text={words} look="a" letter="A" /> : <Mark text={words} look="b" letter="B" />);
};

/** A marked phrase. Screen readers say where it begins and ends: most of them pass over marks. `look`: that of A, or of what is compared with A. */
export function Mark({ text, look = "", letter }: { text: string; look?: "a" | "b" | ""; letter?: string | undefined }) {
  return (
    <mark class={`phrase ${look}`}>
      {letter && <bdi class="letter" lang={lang}>{letter}</bdi>}
      <bdi class="unseen" lang={lang}>{letter ? ": " : t("marked: ")}</bdi>
      {glued(text)}
      <bdi class="unseen" lang={lang}>{t(", end of mark")}</bdi>
    </mark>
  );
}

/** A phrase of a question in quotes, in a sentence of the page. `at`: its place among the phrases. */
export function PhraseWords({ of: { captions, language }, at = 0 }: { of: Question; at?: number }) {
  return <>{rich("“{words}”", { words: <bdi lang={language || undefined}>{phrasesOf(captions)[at]?.text}</bdi> })}</>;
}
