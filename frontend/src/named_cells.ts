/** Name the cells of tables of class `cards` by their columns. On a phone each row is a card. */
export function nameCells(root: ParentNode): void {
  for (const table of root.querySelectorAll<HTMLTableElement>("table.cards")) {
    const heads = [...(table.tHead?.rows[0]?.cells ?? [])];
    // A table that is laid out as blocks is read as a table only by these roles.
    table.role = "table";
    for (const part of [...(table.tHead ? [table.tHead] : []), ...table.tBodies]) part.role = "rowgroup";
    for (const row of table.rows) {
      row.role = "row";
      [...row.cells].forEach((cell, place) => {
        cell.role = cell.tagName === "TD" ? "cell" : cell.scope === "row" ? "rowheader" : "columnheader";
        cell.dataset.column = heads[place]?.firstChild?.textContent?.trim() ?? "";
      });
    }
  }
}
