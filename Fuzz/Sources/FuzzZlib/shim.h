#include <zlib.h> // Debian, Ubuntu: apt-get install zlib1g-dev
