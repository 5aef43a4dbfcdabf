/** An error of the decoder or of its module. `kind`, `offset` and `status` are documented in pure-webp.d.ts. */
export class WebPError extends Error {
  constructor(kind, message, offset = -1, status = 1) {
    super(message);
    this.name = "WebPError";
    this.kind = kind;
    this.offset = offset;
    this.status = status;
  }
}

export const unavailable = message => new WebPError("moduleUnavailable", message);

export const limitExceeded = message => new WebPError("limitExceeded", message);
