/**
 * What keeps a skill inside its place in the prompt, by position (S-46). Control characters never get through; everything
 * else is changed only where it would be taken for markup.
 */

// All but tab and line feed.
// oxlint-disable-next-line no-control-regex
const control = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g

/** `text` without what is no character: line ends are `\n`, other control characters and lone surrogates become U+FFFD. */
const clean = (text: string): string => text.replace(/\r\n?/g, "\n").toWellFormed().replace(control, "\ufffd")

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" }

/** Between tags: `&`, `<` and `>` become entities. Quotes and apostrophes stay. */
export const escapeText = (text: string): string => clean(text).replace(/[&<>]/g, (character) => entities[character]!)

/** In an attribute in double quotes; a line break would end the line of the tag. */
export const escapeAttribute = (text: string): string =>
  clean(text)
    .replace(/[&<>"]/g, (character) => entities[character]!)
    .replace(/[\t\n]/g, " ")

/** Closing tags of every element that a skill's text can stand in, however they are spelled. */
const closingTag =
  /<(\s*)\/(\s*)(?=(?:skill_content|skill_instructions|skill_resources|available_skills|system-reminder)(?![\w-]))/gi

/** A body: as it is, apart from closing tags, which are written `<\/…`. */
export const escapeBody = (text: string): string => {
  const cleaned = clean(text)
  return cleaned.includes("<") ? cleaned.replace(closingTag, "<$1\\/$2") : cleaned
}

// Line and paragraph separators break a line too.
// oxlint-disable-next-line no-control-regex
const unprintable = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g

/** One line that has to be usable as it stands, a path or a URL: what would break the line is written as in JSON. */
export const escapeLine = (text: string): string =>
  text
    .toWellFormed()
    .replace(unprintable, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .replace(closingTag, "<$1\\/$2")
