import { useLayoutEffect } from "preact/hooks";
import type { Picture } from "../api/types";
import { LoadingNote } from "./LoadingNote";
import { type Loading, usePicture } from "./usePicture";

interface Props {
  readonly picture: Picture;
  readonly label: string;
  readonly onLoading: (loading: Loading) => void;
}

/** A picture to look at, without zoom. */
export function Still({ picture, label, onLoading }: Props) {
  const { address, loading, retry } = usePicture(picture, 0);
  useLayoutEffect(() => onLoading(loading), [loading]);
  return (
    <div class="still" data-loading={loading} style={{ aspectRatio: `${String(picture.width)} / ${String(picture.height)}` }}>
      {address && <img src={address} alt={label} width={picture.width} height={picture.height} />}
      <LoadingNote {...{ loading, retry }} />
    </div>
  );
}
