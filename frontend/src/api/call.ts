/** The type of a call of the API: the methods, addresses and bodies that the server takes, and what it returns to each. */

import type { operations, paths } from "./schema";

type Method = "GET" | "POST" | "PUT" | "PATCH";

/** The paths of the API, relative to its root: `/assignments/{token}/submit/`. */
type Path = keyof paths extends infer Whole ? (Whole extends `/api/v1${infer Rest}` ? Rest : never) : never;

/** What the schema says of a method of a path; never: the path does not have the method. */
type Operation<M extends Method, P extends Path> = paths[`/api/v1${P}`] extends Record<Lowercase<M>, infer Found extends object> ? Found : never;

/** The parameters of an operation by their names; never: it has none there. */
type Values<Found, Place extends "path" | "query"> = Found extends { parameters: Partial<Record<Place, infer Named>> } ? NonNullable<Named> : never;

/** A parameter as an address holds it. */
type Text<Named, Name> = Name extends keyof Named ? `${Named[Name] & (string | number)}` : never;

/** What an address has in place of a word of the path: the same word or, for a parameter, a value. */
type Word<Written, Named> = Written extends `{${infer Name}}` ? Text<Named, Name> : Written;

/** What an address has after the path: a query of one parameter, where the operation has one; the page sends no other. */
type Query<Named> = [Named] extends [never] ? "" : { [Name in keyof Named & string]: `?${Name}=${Text<Named, Name>}` }[keyof Named & string];

/** Whether an address is the path of an operation with its parameters filled in. Goes by words: no value holds a slash. */
type Fits<Address, P, Found> = P extends `${infer First}/${infer Others}`
  ? Address extends `${infer Given}/${infer More}`
    ? Given extends Word<First, Values<Found, "path">>
      ? Fits<More, Others, Found>
      : false
    : false
  : Address extends Query<Values<Found, "query">>
    ? true
    : false;

/** The operation that a method and an address call; never: the server has none. */
type Called<M extends Method, Address> = {
  [P in Path]: [Operation<M, P>] extends [never] ? never : Fits<Address, P, Operation<M, P>> extends true ? Operation<M, P> : never;
}[Path];

interface Json<Shape> {
  content: { "application/json": Shape };
}

/** A body; undefined: the operation takes none, or needs none. */
type Body<Given> = Given extends Json<infer Shape> ? Shape : undefined;

/** What a call sends besides its address. */
type Sent<Found> = Found extends { requestBody: infer Given }
  ? [body: Body<Given>, keepalive?: boolean]
  : [body?: Found extends { requestBody?: unknown } ? Body<Found["requestBody"]> : never, keepalive?: boolean];

/** What the server returns to an operation. */
type Told<Found> = Found extends { responses: { 200: Json<infer Shape> } } ? Shape : never;

/** An operation of the API, by its name. */
export type OperationName = keyof operations;

/** A value that nobody changes. */
type Fixed<T> = T extends object ? { readonly [Key in keyof T]: Fixed<T[Key]> } : T;

/** The values that an operation takes as JSON. */
export type Taken<Name extends OperationName> = operations[Name] extends { requestBody?: infer Given } ? Fixed<Body<NonNullable<Given>>> : never;

/** The values that an operation returns. */
export type Returned<Name extends OperationName> = Fixed<Told<operations[Name]>>;

/** The response to a call. Its body has this shape where the call succeeds. */
export interface ResponseOf<Shape> extends Pick<Response, "status" | "ok"> {
  json: () => Promise<Shape>;
}

export type Call = <M extends Method, Address extends string>(
  method: M,
  address: [Called<M, Address>] extends [never] ? never : Address,
  ...sent: Sent<Called<M, Address>>
) => Promise<ResponseOf<Told<Called<M, Address>>>>;
