"""The web set of make-files: stills and animations of the sizes and qualities that pages use.

Most images on pages have less than a megapixel and few bits per pixel. The fixed work per file, skipped macroblocks,
filtering and output take a larger share of the time than in large photos.
"""
import math

from PIL import Image, ImageDraw, ImageFont

# Photos first, then four drawings with flat areas. All are in the Debian packages that make-files names.
PICTURES = [
    "Bridge_by_Sander_Klootwijk", "Dragonfly_by_Bolly", "Picture_0B_by_freespace", "Wine_by_Jakkub_Mede",
    "aitzgorri_by_Aitzol_Berasategi", "free_by_Peter_Nerlich", "friends_by_Aitzol_Berasategi",
    "greentock_by_Peter_Nerlich", "life_by_Aitzol_Berasategi", "picosdeeuropa_by_Aitzol_Berasategi",
    "seeding_by_Clements_Engelhardt", "sunset_by_Aitzol_Berasategi", "umang_by_Abhishek_Mudgal",
    "Kleiber_by_Lukas_Baubkus", "Infinite-Sea_by_Aury88", "Fossa_by_Jasper_Roks",
    "analogpattern_by_Peter_Nerlich", "Painting-Colors_by__herobrine7gamer",
]
WIDTHS = [160, 240, 320, 480, 640, 800, 1024, 1280, 1600]
QUALITIES = [60, 75, 80, 90]
THUMBNAIL_WIDTHS = [96, 128, 160, 200]
ICONS = [("16x16", "edit-copy"), ("22x22", "folder"), ("32x32", "accessories-text-editor")]


def make(maker, find, screenshot, with_alpha):
    """Makes the set.

    maker: encodes images into a folder. find: opens an image of the packages by its file name, without extension, and
    optionally by its folder. screenshot, with_alpha: functions that draw a screenshot and an alpha channel. The other
    sets use them too.
    """
    make_lossy(maker, find)
    make_thumbnails(maker, find)
    make_lossy_with_alpha(maker, find, with_alpha)
    make_lossless(maker, find, screenshot)
    make_animations(maker, find)


def make_lossy(maker, find):
    """Makes two widths of each picture. Qualities and methods vary from file to file."""
    for index, name in enumerate(PICTURES):
        for turn in (0, 1):
            width = WIDTHS[(index + 5 * turn) % len(WIDTHS)]
            quality, method = QUALITIES[(index + index // 4 + turn) % 4], (4, 6)[(index + turn) % 2]
            short = name.split("_")[0].lower()
            maker.still(f"web-{short}-{width}-q{quality}-m{method}", scaled(find(name), width),
                        "-q", str(quality), "-m", str(method))


def make_thumbnails(maker, find):
    """Makes small lossy files: one of each picture, and six with flat areas."""
    for index, name in enumerate(PICTURES):
        width, quality = THUMBNAIL_WIDTHS[index % 4], QUALITIES[(index + index // 4) % 4]
        maker.still(f"web-thumbnail-{name.split('_')[0].lower()}-{width}-q{quality}", scaled(find(name), width),
                    "-q", str(quality))
    for index, size in enumerate(((160, 160), (160, 120), (64, 64), (96, 96), (128, 128), (200, 200))):
        maker.still(f"web-thumbnail-flat-{size[0]}x{size[1]}", flat(size, index), "-q", str(QUALITIES[index % 4]))


def make_lossy_with_alpha(maker, find, with_alpha):
    """Makes photos with soft and hard edges, like product images."""
    for index, width in enumerate((160, 240, 400, 640, 800, 1200)):
        photo = with_alpha(scaled(find(PICTURES[2 * index]), width))
        maker.still(f"web-alpha-{width}", photo, "-q", str(QUALITIES[index % 4]))


def make_lossless(maker, find, screenshot):
    """Makes icons, logos, and parts of screenshots."""
    for folder, name in ICONS:
        maker.still(f"web-icon-{name}-{folder}", find(name, folder).convert("RGBA"), "-lossless")
    for width in (120, 320, 600):
        maker.still(f"web-logo-{width}", logo(width), "-lossless")
    photos = [find(name) for name in PICTURES[:4]]
    for kind, smooth in (("rgb", True), ("palette", False)):
        desktop = screenshot(photos, (3840, 2160), smooth)
        for width, height in ((320, 240), (640, 400), (1280, 800)):
            maker.still(f"web-screenshot-{kind}-{width}", desktop.crop((2200, 960, 2200 + width, 960 + height)),
                        "-lossless")


def make_animations(maker, find):
    """Makes a clip, a banner, a sticker with alpha, and a spinner."""
    clip = scaled(find(PICTURES[0]), 800)
    frames = [clip.resize((320, 180), box=(8 * n, 4 * n, 640 + 8 * n, 360 + 4 * n)) for n in range(16)]
    maker.animation("web-animation-clip", frames, "-lossy", "-q", "75")
    maker.animation("web-animation-banner", [banner(find(PICTURES[1]), n) for n in range(12)], "-lossy", "-q", "80")
    sticker = logo(200)
    turned = [sticker.rotate(12 * math.sin(n / 2), Image.Resampling.BICUBIC) for n in range(12)]
    maker.animation("web-animation-sticker", turned, "-lossy", "-q", "75")
    maker.animation("web-animation-spinner", [spinner(n) for n in range(12)], "-lossless")


def scaled(picture, width):
    return picture.convert("RGB").resize((width, round(picture.height * width / picture.width)),
                                         Image.Resampling.LANCZOS)


def flat(size, kind):
    """Draws one color, or for a `kind` from 1 on an avatar: a letter or a disk on one color."""
    color = [(200, 120, 40), (90, 140, 60), (60, 60, 70), (170, 40, 80), (240, 240, 240), (20, 110, 160)][kind]
    image = Image.new("RGB", size, color)
    draw = ImageDraw.Draw(image)
    width, height = size
    if kind % 2 == 1:
        draw.text((width // 3, height // 5), "ABCDEF"[kind], font=ImageFont.load_default(height // 2), fill="white")
    elif kind > 0:
        draw.ellipse((width // 4, height // 4, width * 3 // 4, height * 3 // 4), fill=(250, 200, 60))
    return image


def logo(width):
    """Draws a badge with a word on a transparent background, at four times its size for smooth edges."""
    size = (4 * width, 2 * width)
    image = Image.new("RGBA", size, (255, 255, 255, 0))
    draw = ImageDraw.Draw(image)
    draw.rounded_rectangle((0, 0, size[0] - 1, size[1] - 1), size[1] // 4, fill=(24, 90, 160, 255))
    draw.ellipse((size[1] // 6, size[1] // 6, size[1] * 5 // 6, size[1] * 5 // 6), fill=(250, 200, 60, 255))
    draw.text((size[1], size[1] // 4), "Pure", font=ImageFont.load_default(size[1] // 2), fill=(255, 255, 255, 255))
    return image.resize((width, width // 2), Image.Resampling.LANCZOS)


def banner(photo, number):
    """Draws a strip of a photo over which a line of text moves."""
    image = scaled(photo, 468).crop((0, 80, 468, 140))
    ImageDraw.Draw(image).text((12 * number, 14), "New this week", font=ImageFont.load_default(28), fill="white")
    return image


def spinner(number):
    """Draws a ring of twelve dots, one of which is darkest."""
    image = Image.new("RGBA", (256, 256), (0, 0, 0, 0))
    draw = ImageDraw.Draw(image)
    for dot in range(12):
        angle, shade = math.pi * dot / 6, 40 + 18 * ((number - dot) % 12)
        x, y = 128 + 96 * math.cos(angle), 128 + 96 * math.sin(angle)
        draw.ellipse((x - 18, y - 18, x + 18, y + 18), fill=(shade, shade, shade, 255))
    return image.resize((64, 64), Image.Resampling.LANCZOS)
