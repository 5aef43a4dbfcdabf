#if os(Linux)
  import Foundation
  import TestSupport
  import Testing

  /// Proves that the command works, or reports an error, where threads, memory and folders are restricted.
  /// Expected values: the output without restrictions.
  @Suite struct LimitedMachineTests {
    let command = try! Command(with: "encoder-cwebp-q75.webp")

    /// The superuser has no limit on threads, so the command runs as another user, who may not write to the folder.
    @Test(.enabled(if: FolderTests.canRunAsAnotherUser, "only root can run programs as another user"), arguments: 1...4)
    func refusedThreadsAreReplaced(count: Int) throws {
      try command.bring("vp8-tall.webp", as: "a.webp")
      try command.bring("encoder-img2webp-animation.webp", as: "b.webp")
      for words in [
        "decode a.webp -o -", "decode b.webp -o -", "check --json a.webp b.webp", "decode -f pam a.webp -o -",
      ] {
        let expected = try command.shell("./webp \(words)").output
        let result = try command.shell(
          """
          program=$(readlink -f webp)
          exec timeout 60 \(FolderTests.asAnotherUser) bash -c "ulimit -u \(count) && exec $program \(words)"
          """)
        #expect(result.status == 0 && result.output == expected, "\(words): \(result.errors)")
      }
    }

    /// Canvases have 100 MB. Each limit leads to the same result in each run: all frames or a message.
    @Test(arguments: [
      "frames -f pam -o out --force", "decode --still -o x.pam", "decode --no-limits -o x.png", "check",
    ])
    func memoryIsCheckedBeforeDecoding(_ words: String) throws {
      let pixel = FileWriter.chunk("VP8L", [47, 0, 0, 0, 16, 7, 16, 17, 17, 136, 136, 254, 7])
      let frame = FileWriter.chunk("ANMF", [UInt8](repeating: 0, count: 16) + pixel)
      let file = FileWriter.riff(
        FileWriter.vp8X(flags: 2, width: 5000, height: 5000), FileWriter.chunk("ANIM", [0, 0, 0, 0, 0, 0]), frame, frame
      )
      try Data(file).write(to: command.folder.appendingPathComponent("a.webp"))
      // Sanitizers reserve more memory than this.
      guard try command.shell("ulimit -v 4000000; ./webp --version").status == 0 else { return }
      for kibibytes in [150_000, 330_000, 1_000_000] {
        let result = try command.shell("ulimit -v \(kibibytes); exec timeout 60 ./webp \(words) a.webp")
        let isRefused = result.status == 75 && result.errors.contains("of memory; the limits of the process")
        #expect(result.status == 0 || isRefused, "\(kibibytes): \(result.status) \(result.errors)")
        #expect(kibibytes != 150_000 || isRefused)
        #expect(kibibytes != 1_000_000 || !isRefused)
      }
    }

    private static let jobs = [
      "check", "info", "extract frame --force -o f.out", "decode", "decode -f pam", "decode -f ppm --upright",
      "decode -f pgm", "decode --background white -f pam", "decode --partial", "decode --still -f tiff", "decode -o -",
      "decode --fit 300,900,2000 --enlarge -o {width}.png", "decode --fit 100 -f bmp", "frames -o o",
      "frames --fit 100 -o o", "frames --upright -f pam -o o",
      "view --protocol kitty --loops 1", "view --protocol sixel --loops 1",
    ]

    /// A photo, a lossless drawing and an animation of three frames, with one megapixel each.
    private func bringLargeFiles() throws {
      let (width, height) = (1250, 800)
      // One color, with a prefix code of one symbol for each channel.
      let lossless = FileWriter.vp8LHeader(width: width, height: height) + [7, 16, 17, 17, 136, 136, 254, 7]
      let drawing = FileWriter.chunk("VP8L", lossless)
      let frame = FileWriter.chunk(
        "ANMF",
        [UInt8](repeating: 0, count: 6) + FileWriter.littleEndian(width - 1, bytes: 3)
          + FileWriter.littleEndian(height - 1, bytes: 3) + [40, 0, 0, 0] + drawing)
      let extended = FileWriter.vp8X(flags: 2, width: width, height: height)
      let lossy = FileWriter.vp8Frame(width: width, height: height, partition: 10_000, tokens: 100_000)
      for (name, file) in [
        ("photo", FileWriter.riff(FileWriter.chunk("VP8 ", lossy))), ("drawing", FileWriter.riff(drawing)),
        ("animation", FileWriter.riff(extended, FileWriter.chunk("ANIM", [0, 0, 0, 0, 0, 0]), frame, frame, frame)),
      ] {
        try Data(file).write(to: command.folder.appendingPathComponent("\(name).webp"))
      }
    }

    /// At each limit, the command succeeds or reports that memory is missing. Without a limit, it succeeds. An estimate
    /// that is too low is found directly above the lowest limit at which the command succeeds, and where the memory
    /// suffices for a second thread.
    @Test(arguments: jobs) func everyJobChecksItsMemory(_ job: String) throws {
      // Sanitizers reserve more memory than this.
      guard try command.shell("ulimit -v 4000000; ./webp --version").status == 0 else { return }
      try bringLargeFiles()
      for file in ["photo", "drawing", "animation"] {
        try command.shell("rm -rf o *.png; ./webp \(job) \(file).webp > /dev/null").expectSuccess()
        let results = try command.shell(
          """
          run() {
            rm -rf o *.p?m *.png *.bmp *.tiff
            (ulimit -v $1; exec timeout 60 ./webp \(job) \(file).webp) > /dev/null 2> errors
            code=$?
            [ $code = 0 ] || [ $code = 75 -a -s errors ] && return
            # A program that cannot start reports nothing.
            if (ulimit -v $1; ./webp --version) > version 2>&1; then echo "$1: $code $(head -n 3 errors)"; fi
          }
          refused=40000
          accepted=140000
          while [ $((accepted - refused)) -gt 2000 ]; do
            limit=$(((refused + accepted) / 2))
            run $limit
            [ $code = 0 ] && accepted=$limit || refused=$limit
          done
          # A second thread has 72 MiB of addresses.
          for more in 3000 74000 78000 84000; do run $((accepted + more)); done
          """)
        #expect(results.text.isEmpty, "\(file): \(results.text)")
      }
    }

    @Test(.enabled(if: FolderTests.canRunAsAnotherUser, "only root can run programs as another user"))
    func filesInReadOnlyFoldersAreOverwritten() throws {
      try command.bring("riff-cut-22-lossy.webp", as: "broken.webp")
      let expected = try command.webp("decode", "a.webp", "-o", "-").output
      try command.write("old", to: "a.png")
      try command.shell("chmod 666 a.png a.webp; ln -s a.png link.png; chmod 755 .").expectSuccess()
      func decode(_ words: String) throws -> FinishedProcess {
        try command.shell("\(FolderTests.asAnotherUser) $(readlink -f webp) decode \(words)")
      }
      #expect(try decode("broken.webp -o a.png").status == 1)
      #expect(try command.read("a.png") == Data("old".utf8))
      let result = try decode("a.webp -o link.png")
      #expect(result.status == 0 && result.errors.contains("link.png: written in place, because it cannot be replaced"))
      #expect(try command.read("a.png") == expected)
      // A longer file becomes shorter.
      try command.shell("head -c 1000000 /dev/zero > a.png").expectSuccess()
      #expect(try decode("a.webp -o a.png").status == 0)
      #expect(try command.read("a.png") == expected)
      let denied = try decode("a.webp -o new.png")
      #expect(denied.status == 75 && denied.errors == "webp: new.png: Permission denied\n")
      #expect(try decode("a.webp -o a.webp -f png").status == 1)
      #expect(try command.read("a.webp") == TestFile.vector("encoder-cwebp-q75.webp"))
    }

    /// Renaming to a file that is mounted ends in EBUSY.
    @Test(.enabled(if: Self.canMount, "mounts are not permitted")) func mountedFilesAreOverwritten() throws {
      let expected = try command.webp("decode", "a.webp", "-o", "-").output
      let result = try command.shell(
        "touch a.png source; unshare -m sh -c 'mount --bind source a.png && ./webp decode a.webp -o a.png'")
      #expect(result.status == 0 && result.errors.contains("(Device or resource busy)"), "\(result.errors)")
      #expect(try command.read("source") == expected && command.read("a.png").isEmpty)
      #expect(try command.files == ["a.webp", "a.png", "source"])
    }

    /// Both files are in a full file system. The second one is a hole, for which there is no space.
    @Test(.enabled(if: Self.canMount, "mounts are not permitted")) func failedCopiesKeepTheFileOrSayThatItIsIncomplete()
      throws
    {
      let result = try command.shell(
        """
        mkdir small; touch a.bmp b.bmp
        unshare -m sh -c '
          mount -t tmpfs -o size=16k tmpfs small && printf old > small/a && truncate -s 1M small/b
          mount --bind small/a a.bmp && mount --bind small/b b.bmp
          for file in a.bmp b.bmp; do ./webp decode a.webp --resize 330x222 -o $file; done; cat a.bmp'
        """)
      #expect(result.text == "old")
      let errors = result.errors.split(separator: "\n").filter { $0.contains("No space left") }
      #expect(
        errors == [
          "webp: a.bmp: No space left on device", "webp: b.bmp: No space left on device; the file is incomplete",
        ])
    }

    private static let canMount =
      (try? Command().shell("touch a b; unshare -m mount --bind a b"))?.status == 0

    /// The device `/dev/full` ends each write with ENOSPC. If all workers find the disk full, it is reported once.
    @Test(arguments: [1, 4]) func aFullDiskEndsTheBatch(threads: Int) throws {
      for index in 0..<26 {
        try command.bring("encoder-cwebp-q75.webp", as: "\(index).webp")
        try command.shell("ln -s /dev/full \(index).png").expectSuccess()
      }
      let result = try command.shell("./webp decode --threads \(threads) --force ?.webp ??.webp")
      let lines = result.errors.split(separator: "\n")
      #expect(result.status == 75 && lines.count == 2, "\(result.errors)")
      #expect(lines.first?.hasSuffix("No space left on device") == true)
      #expect(lines.last?.hasSuffix("not begun") == true)
    }
  }
#endif
