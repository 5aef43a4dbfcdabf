/** Returns whether an address ends in .webp, or is a data URL of this type. */
export const isCalledWebP = url => /^([^?#]*\.webp([?#]|$)|data:image\/webp)/i.test(url);
