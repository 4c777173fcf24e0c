/** Whether the project asks what is part of what: the server says so on pages that need to know. */
export const asksParts = (): boolean => document.querySelector("[data-part-answers]") !== null;
