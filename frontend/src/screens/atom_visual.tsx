import { useMemo, useState } from "preact/hooks";
import type { AnswerTo } from "../api/types";
import { Still } from "../canvas/Still";
import type { Loading } from "../canvas/usePicture";
import { type Atom, withForms } from "../forms";
import { Answers, type Choice } from "../parts/Answers";
import { marked } from "../parts/Captions";
import { Frame } from "../parts/Frame";
import { useSightOfPicture } from "../state/sight";
import type { ScreenProps } from "./screen";
import { t } from "../t";

type Answer = AnswerTo<"atom_visual">;

export const CHOICES: readonly Choice<Answer>[] = [
  { value: "yes", keys: ["1", "y"], label: t("Yes, it can be seen"), hint: t("a picture can show it") },
  { value: "no", keys: ["2", "n"], label: t("No"), hint: t("one can only know, think, hear or feel it") },
];

const CATEGORIES: Record<Atom["category"], string> = {
  entity: t("a person, a thing or a place"),
  action: t("something that is done or happens"),
  attribute: t("what somebody or something is like"),
};

export function AtomVisual({ question, answer, onAnswer, disabled }: ScreenProps<Answer>) {
  const { survey, language } = question;
  if (!survey || !("atom" in survey)) return null;
  return (
    <Frame
      picture={<Examples of={survey} language={language} />}
      ask={
        <>
          {t("Can this be seen in a picture?")}
          <bdi class="atom" lang={language || undefined}>
            {survey.atom}
          </bdi>
        </>
      }
    >
      <p class="category quiet">{CATEGORIES[survey.category]}</p>
      <Answers choices={CHOICES} chosen={answer} onAnswer={onAnswer} disabled={disabled} />
    </Frame>
  );
}

/** Pictures with captions in which people used the word. Answers wait until all of them are there. */
function Examples({ of, language }: { of: Atom; language: string }) {
  const { examples } = of;
  const [loading, setLoading] = useState<readonly Loading[]>(examples.map(() => "loading"));
  const captions = useMemo(() => examples.map(({ caption }, i) => withForms(of, caption, i)), [examples]);
  const report = (place: number) => (now: Loading) => setLoading((all) => all.map((one, i) => (i === place ? now : one)));
  useSightOfPicture(loading.find((one) => one === "failed") ?? loading.find((one) => one === "loading") ?? "shown");
  return (
    <ol class="usages">
      {examples.map(({ image }, i) => (
        <li key={i}>
          <figure>
            <Still picture={image} label={t("Example {i} of {n}", { i: i + 1, n: examples.length })} onLoading={report(i)} />
            <figcaption lang={language || undefined} dir="auto">
              {captions[i] && marked({ caption: captions[i] })}
            </figcaption>
          </figure>
        </li>
      ))}
    </ol>
  );
}
