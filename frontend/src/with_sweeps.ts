/** The chunk of projects that ask sweeps: their screen, and links whose rule covers them. */

export { LINK_WITH_SWEEPS, Sweep } from "./tasks/sweep";
