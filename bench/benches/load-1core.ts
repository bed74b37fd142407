/** `load` on one core, where asking side by side helps nobody: fewer questions do. */
export { default } from "./load.ts"
