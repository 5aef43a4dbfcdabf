#if os(Linux)
  import Foundation
  import TestComparison
  import TestSupport
  import Testing

  /// Proves that outputs are written beside other processes, and on file systems that lack hard links or exact times.
  /// Expected values: the output without the library that replaces functions of the C library.
  @Suite struct SharedFileSystemTests {
    private let command = try! Command(with: "encoder-cwebp-q75.webp")

    init() throws {
      try command.write(
        """
        #define _GNU_SOURCE
        #include <errno.h>
        #include <fcntl.h>
        #include <stdarg.h>
        #include <stdlib.h>
        #include <string.h>
        #include <sys/syscall.h>
        #include <unistd.h>
        int link(const char *from, const char *to) { errno = atoi(getenv("LINK_ERROR")); return -1; }
        static int removed;
        // Removes the folder of the first temporary file, as another process does whose inputs all fail.
        int open(const char *path, int flags, ...) {
          va_list rest;
          va_start(rest, flags);
          const char *name = strstr(path, "/.webp-");
          if (name && getenv("REMOVE_FOLDERS") && !removed++) {
            char *folder = strndup(path, name - path);
            rmdir(folder);
            *strrchr(folder, '/') = 0;
            rmdir(folder);
          }
          return syscall(SYS_openat, AT_FDCWD, path, flags, va_arg(rest, int));
        }
        """, to: "replaced.c")
    }

    private func decode(_ variables: String, _ words: String) throws -> FinishedProcess {
      try command.shell(
        "cc -shared -fPIC -o replaced.so replaced.c && \(variables) LD_PRELOAD=$PWD/replaced.so ./webp decode \(words)")
    }

    @Test(.needs("cc"), arguments: [EPERM, ENOSYS, EACCES, EIO, EOPNOTSUPP])
    func fileSystemsMayLackHardLinks(_ error: Int32) throws {
      let expected = try command.webp("decode", "a.webp", "-o", "-").output
      let result = try decode("LINK_ERROR=\(error)", "a.webp")
      #expect(result.status == 0, "\(result.errors)")
      #expect(try command.read("a.png") == expected)
      #expect(try decode("LINK_ERROR=\(error)", "a.webp").errors.contains("exists already"))
    }

    @Test(.needs("cc")) func removedFoldersAreCreatedAgain() throws {
      let result = try decode("LINK_ERROR=1 REMOVE_FOLDERS=1", "a.webp -o new/out/")
      #expect(result.status == 0, "\(result.errors)")
      #expect(try command.read("new/out/a.png").count > 100)
    }

    /// The times of HFS+ are multiples of 1 s, and of FAT multiples of 2 s.
    @Test(arguments: [("07.4", true), ("07", true), ("06", true), ("05", false), ("06.5", false)])
    func roundedTimesAreUpToDate(_ seconds: String, _ isUpToDate: Bool) throws {
      try command.write("old", to: "a.png")
      try command.shell("touch -d 2001-02-03T04:05:07.4 a.webp; touch -d 2001-02-03T04:05:\(seconds) a.png")
        .expectSuccess()
      try command.webp("decode", "--update", "a.webp").expectSuccess()
      #expect(try (command.read("a.png") == Data("old".utf8)) == isUpToDate)
    }

    @Test func listsOfOtherSystemsAreRead() throws {
      try command.write("\u{FEFF}a.webp\r\n\r\na.webp\r\n", to: "list")
      let result = try command.webp("check", "--files-from", "list")
      #expect(result.status == 0 && result.errors == "2 sound, 0 corrupt\n", "\(result.errors)")
    }
  }
#endif
