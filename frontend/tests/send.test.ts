import { describe, expect, it } from "vitest";
import { type Chosen, type Here, isOfDataSet, type PieceReply, placesOf, Sender } from "../src/projects/data/send";

/** A service that keeps what it is sent. */
class Service {
  readonly files = new Map<string, string>();
  readonly calls: string[] = [];
  failures = 0;

  send = async (path: string, offset: number, _size: number, data: Blob): Promise<PieceReply> => {
    this.calls.push(`${path} ${offset}`);
    if (this.failures-- > 0) throw new TypeError("Failed to fetch");
    const has = this.files.get(path) ?? "";
    if (has.length !== offset) return { status: 409, body: { received: has.length } };
    if (path.endsWith(".bad")) return { status: 400, body: { why: "no" } };
    this.files.set(path, has + (await data.text()));
    return { status: 200, body: { received: offset + data.size } };
  };
}

const text = "0123456789";
const chosen = (path: string, again = false): Chosen => ({ path, file: new Blob([text]), again });
const sender = (files: Chosen[], service: Service, here: Here = {}, changed = (): void => undefined): Sender =>
  new Sender(files, here, 4, service.send, changed, async () => undefined);

describe("sending files", () => {
  it("sends a file in pieces", async () => {
    const service = new Service();
    expect(await sender([chosen("a")], service).run()).toBe(true);
    expect(service.files.get("a")).toBe(text);
    expect(service.calls).toEqual(["a 0", "a 4", "a 8"]);
  });

  it("goes on where the service says that a file has come to, and skips complete ones", async () => {
    const service = new Service();
    service.files.set("a", text.slice(0, 6));
    await sender([chosen("a"), chosen("b")], service, { a: [6, 10], b: [10, 10] }).run();
    expect(service.calls).toEqual(["a 6"]);
    expect(service.files.get("a")).toBe(text);
  });

  it("sends a text again that is there in the same size", async () => {
    const service = new Service();
    await sender([chosen("a", true)], service, { a: [10, 10] }).run();
    expect(service.files.get("a")).toBe(text);
  });

  it("tries again while the network fails, and corrects a wrong place", async () => {
    const service = new Service();
    service.failures = 3;
    service.files.set("a", text.slice(0, 2));
    await sender([chosen("a")], service, { a: [4, 10] }).run();
    expect(service.files.get("a")).toBe(text);
  });

  it("names a file that is refused, and sends the others", async () => {
    const service = new Service();
    const one = sender([chosen("x.bad"), chosen("b")], service);
    await one.run();
    expect(one.refused).toEqual([{ path: "x.bad", why: "no" }]);
    expect(service.files.get("b")).toBe(text);
  });

  it("waits while it is paused, and stops when it is cancelled", async () => {
    const service = new Service();
    const one = sender([chosen("a")], service);
    one.pause();
    const end = one.run();
    await new Promise((done) => setTimeout(done)); // a turn of the loop: what may go on has begun
    expect(service.calls).toEqual([]);
    one.resume();
    expect(await end).toBe(true);
    const other = sender([chosen("b")], service);
    other.pause();
    const never = other.run();
    other.cancel();
    expect(await never).toBe(false);
    expect(service.files.has("b")).toBe(false);
  });
});

describe("places of files", () => {
  it("leaves out the chosen folder's own name", () => {
    expect(placesOf(["coco/images/1.jpg", "coco/captions.json"])).toEqual(["images/1.jpg", "captions.json"]);
    expect(placesOf(["captions.csv"])).toEqual(["captions.csv"]);
  });

  it("keeps the names of several folders, so that no picture takes the place of another", () => {
    expect(placesOf(["cam1/1.jpg", "cam2/1.jpg"])).toEqual(["cam1/1.jpg", "cam2/1.jpg"]);
    expect(placesOf(["images/1.jpg", "captions.csv"])).toEqual(["images/1.jpg", "captions.csv"]);
    expect(placesOf(["Sentences/1.txt", "Sentences/2.txt"])).toEqual(["Sentences/1.txt", "Sentences/2.txt"]);
  });

  it("puts bare pictures where every format looks", () => {
    expect(placesOf(["1.JPG"])).toEqual(["images/1.JPG"]);
    expect(placesOf(["photos/1.jpg"])).toEqual(["images/1.jpg"]);
  });

  it("leaves out what belongs to no data set", () => {
    expect(["a/.DS_Store", "__MACOSX/a.jpg", "a/.hidden.jpg", "readme.md"].filter(isOfDataSet)).toEqual([]);
    expect(isOfDataSet("a/1.webp") && isOfDataSet("a/Sentences/1.txt")).toBe(true);
  });
});
