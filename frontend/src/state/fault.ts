import { t } from "../t";

/** What a page says of a mistake of its own. */
export const faultInWords = (error: unknown): string => t("The page made a mistake: {error}. Your answers so far are kept.", { error: String(error) });
