/** A picture while it loads: first the rendition, then the full picture once the screen shows more detail. */

import { useEffect, useLayoutEffect, useState } from "preact/hooks";
import { t } from "../t";
import type { Size } from "./geometry/box";
import { Button } from "../ui/Button";

/** The longest side of the rendition that the server makes. */
const RENDITION = 1600;

export interface Picture extends Size {
  readonly url: string;
  /** The address of the picture in full size. */
  readonly full_url: string;
}
export type PictureLoading = "loading" | "shown" | "failed";

/** Whether the screen shows more pixels of the image than its rendition has. */
export function needsWhole({ width, height }: Picture, scale: number, density: number): boolean {
  const held = Math.min(1, RENDITION / Math.max(width, height));
  return held < 1 && scale * density > held;
}

/** The rendition that was shown last: the next question about the picture shows it at once. */
let last = "";

/** For tests: as in a new page. */
export const forgetPictures = (): void => void (last = "");

/** The loading state of a file; null: nothing to load. An <image> in SVG does not report it reliably. */
function useLoading(address: string | null): PictureLoading {
  const [done, setDone] = useState<{ address: string; state: PictureLoading }>({ address: last, state: "shown" });
  useEffect(() => {
    if (!address) return;
    const image = new Image();
    const shown = (): void => setDone({ address, state: "shown" });
    // Decoded first: a large picture would otherwise appear some frames later. What cannot be decoded is shown as it is.
    image.onload = () => (image.decode ? void image.decode().then(shown, shown) : shown());
    image.onerror = () => setDone({ address, state: "failed" });
    image.src = address;
    return () => {
      image.onload = image.onerror = null;
    };
  }, [address]);
  return done.address === address ? done.state : "loading";
}

/** `scale`: screen pixels per image pixel; 0 while it is not known. */
export function usePicture(picture: Picture, scale: number) {
  const [attempt, setAttempt] = useState(0);
  const [wanted, setWanted] = useState("");
  const needed = needsWhole(picture, scale, window.devicePixelRatio || 1);
  // Once loaded, the full picture stays, even if the worker zooms out again.
  useEffect(() => {
    if (needed) setWanted(picture.full_url);
  }, [needed, picture.full_url]);

  const rendition = attempt ? `${picture.url}#${attempt}` : picture.url;
  const loading = useLoading(rendition);
  if (loading === "shown") last = rendition;
  const whole = wanted === picture.full_url ? wanted : null;
  const hasWhole = useLoading(whole) === "shown";
  return {
    /** The file to show; null while none is loaded. */
    address: hasWhole ? whole : loading === "shown" ? rendition : null,
    loading: hasWhole ? "shown" : loading,
    retry: () => setAttempt(attempt + 1),
  };
}

/** The words over a picture that is not there yet, or did not load. */
export function LoadingNote({ loading, retry }: Pick<ReturnType<typeof usePicture>, "loading" | "retry">) {
  if (loading === "shown") return null;
  if (loading === "loading") return <p class="note">{t("Loading the picture …")}</p>;
  return (
    <div class="note" role="alert">
      <p>{t("The picture did not load.")}</p>
      <Button onClick={retry}>{t("Try again")}</Button>
    </div>
  );
}

interface Props {
  readonly picture: Picture;
  readonly label: string;
  readonly onLoading: (loading: PictureLoading) => void;
}

/** A picture to look at, without zoom. */
export function Still({ picture, label, onLoading }: Props) {
  const { address, loading, retry } = usePicture(picture, 0);
  useLayoutEffect(() => onLoading(loading), [loading]);
  return (
    <div class="still" data-loading={loading} style={{ aspectRatio: `${picture.width} / ${picture.height}` }}>
      {address && <img src={address} alt={label} width={picture.width} height={picture.height} />}
      <LoadingNote {...{ loading, retry }} />
    </div>
  );
}
