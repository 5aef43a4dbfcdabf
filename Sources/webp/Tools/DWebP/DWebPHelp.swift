extension DWebP {
  static let help = """
    Usage: dwebp in_file [options] [-o out_file]

    Decodes a WebP image to a PNG, or to another kind of file. Animations are not supported.

    Kinds of file:
      -pam ......... RGBA samples, as a color PAM
      -ppm ......... RGB samples, as a color PPM
      -bmp ......... uncompressed BMP
      -tiff ........ uncompressed TIFF
      -pgm ......... YUV samples, as a gray PGM: Y, then U and V side by side
      -yuv ......... YUV samples, plane by plane

    Other options:
      -version ..... print the version and exit
      -nofancy ..... spread chroma without interpolation
      -nofilter .... leave out the loop filter
      -nodither .... no dithering
      -dither <d> .. strength of dithering (0..100)
      -alpha_dither  smooth quantized alpha
      -mt .......... use threads
      -crop <x> <y> <w> <h> ... cut out a rectangle
      -resize <w> <h> ......... scale, after any cropping
      -flip ........ bottom row first
      -alpha ....... save alpha alone
      -incremental . decode incrementally
      -h ........... this help
      -v ........... print how long it took
      -quiet ....... print nothing
      -noasm ....... accepted, without effect


    """
}
