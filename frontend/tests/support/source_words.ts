/** The words in the source: the keys that are given to `t`, `many` and `rich`, and the texts that are not. */

import ts from "typescript";

// Requesters' and public pages are English.
const FILES = import.meta.glob<string>(["../../src/**/*.{ts,tsx}", "!**/*.d.ts", "!**/t.ts", "!../../src/projects/**", "!../../src/every_page.ts"], { query: "?raw", import: "default", eager: true });
const CALLS = new Set(["t", "many", "rich"]);
/** Attributes that are read aloud or shown, of elements and of our own components. */
const SHOWN = new Set(["title", "aria-label", "placeholder", "alt", "label", "hint", "next", "home", "finish", "name"]);
/** Names of icons and forms, which nobody reads, and keys. */
const NAMES = new Set(["Key", "Icon", "Primary", "WayOut", "input", "textarea"]);

interface Found {
  keys: Map<string, string>;
  bare: string[];
}

/** The text of a literal, or of several with a plus between them; null for anything else. */
function literal(node: ts.Node): string | null {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (!ts.isBinaryExpression(node) || node.operatorToken.kind !== ts.SyntaxKind.PlusToken) return null;
  const [left, right] = [literal(node.left), literal(node.right)];
  return left === null || right === null ? null : left + right;
}

/** Both texts of a condition, as in `t(paid ? "One" : "Other")`. */
const literals = (node: ts.Node): (string | null)[] =>
  ts.isConditionalExpression(node) ? [literal(node.whenTrue), literal(node.whenFalse)] : [literal(node)];

const isWords = (text: string): boolean => /\p{L}{2}/u.test(text);
/** Names that are the same in every language. */
const SAME = new Set(["Mechanical Turk", "Ctrl Z"]);
/** "The picture", wherever it stands: a capital, and a second word. */
const isSentence = (text: string): boolean => !SAME.has(text) && /^\p{Lu}\p{Ll}* \p{L}/u.test(text);
const isCall = (node: ts.Node): node is ts.CallExpression =>
  ts.isCallExpression(node) && ts.isIdentifier(node.expression) && CALLS.has(node.expression.text);

/** Whether a text in braces is shown: not one that is compared, nor an argument, nor the name of a property. */
function isShown(node: ts.Node): boolean {
  let [child, parent] = [node, node.parent];
  for (; !ts.isJsxExpression(parent); [child, parent] = [parent, parent.parent]) {
    if (!parent.parent) return false;
    if (ts.isConditionalExpression(parent) && parent.condition !== child) continue;
    if (ts.isTemplateExpression(parent) || ts.isTemplateSpan(parent) || ts.isParenthesizedExpression(parent)) continue;
    const joins = [ts.SyntaxKind.PlusToken, ts.SyntaxKind.AmpersandAmpersandToken, ts.SyntaxKind.BarBarToken, ts.SyntaxKind.QuestionQuestionToken];
    if (ts.isBinaryExpression(parent) && joins.includes(parent.operatorToken.kind)) continue;
    return false;
  }
  return isShownIn(parent.parent);
}

function isShownIn(place: ts.Node): boolean {
  if (!ts.isJsxAttribute(place)) return true;
  const of = place.parent.parent.tagName.getText();
  return SHOWN.has(place.name.getText()) && !(place.name.getText() === "name" && NAMES.has(of));
}

function bareText(node: ts.Node): string | null {
  if (ts.isJsxText(node)) return isKey(node.parent) ? null : node.text.trim();
  if (ts.isTemplateHead(node) || ts.isTemplateMiddle(node) || ts.isTemplateTail(node)) return isShown(node) ? node.text : null;
  if (!ts.isStringLiteralLike(node)) return null;
  if (ts.isJsxAttribute(node.parent)) return isShownIn(node.parent) ? node.text : null;
  return isSentence(node.text) || (isInBraces(node) && isShown(node)) ? node.text : null;
}

function isInBraces(node: ts.Node): boolean {
  for (let above = node.parent; above; above = above.parent) if (ts.isJsxExpression(above)) return true;
  return false;
}

/** Names of keys, as in <kbd>Enter</kbd>. */
const isKey = (node: ts.Node): boolean => ts.isJsxElement(node) && node.openingElement.tagName.getText() === "kbd";

/** Looks through one file. `name`: of the file, for the list of bare texts. */
export function look(name: string, text: string, found: Found): void {
  const file = ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true, name.endsWith("x") ? ts.ScriptKind.TSX : ts.ScriptKind.TS);
  const line = (node: ts.Node): number => file.getLineAndCharacterOfPosition(node.getStart()).line + 1;
  const visit = (node: ts.Node): void => {
    if (isCall(node)) {
      const from = node.expression.getText() === "many" ? 1 : 0;
      for (const key of node.arguments.slice(from, from === 1 ? 3 : 1).flatMap(literals))
        if (key === null) found.bare.push(`${name}:${line(node)} a key that is not a literal`);
        else found.keys.set(key, name);
      for (const rest of node.arguments.slice(from === 1 ? 3 : 1)) visit(rest);
      if (from === 1 && node.arguments[0]) visit(node.arguments[0]);
      return;
    }
    const bare = bareText(node);
    if (bare !== null && isWords(bare)) found.bare.push(`${name}:${line(node)} ${bare}`);
    ts.forEachChild(node, visit);
  };
  visit(file);
}

/** Everything in the source of the labelling page. */
export function sourceWords(): Found {
  const found: Found = { keys: new Map(), bare: [] };
  for (const [path, text] of Object.entries(FILES)) look(path.replace("../../src/", ""), text, found);
  return found;
}
