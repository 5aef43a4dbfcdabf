// In place of Kernels/LosslessPredictionWave.swift: without vectors four rows at once are no faster than one after
// the other.

func hasWave(_ mode: UInt8) -> Bool { false }

func addWave(mode: UInt8, _ row: UnsafeMutableRawPointer, stride: Int, from start: Int, to end: Int, isAhead: Bool) {}
