/** The version that `agent-context --version` prints; equal to the one in package.json. */
export const version = "0.1.0"
