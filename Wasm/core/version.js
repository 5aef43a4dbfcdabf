/** The version of the script. Wasm/build-scripts replaces the text. */
export const version = "PACKAGE_VERSION";

/** Adds the version to an address, so that a cache has no older file for it. Other schemes have no queries. */
export const versioned = ({ href }) => /^http/.test(href) ? href + "?" + version : href;
