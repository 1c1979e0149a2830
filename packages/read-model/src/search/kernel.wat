;; The inner loops of search, with SIMD. Compiled into kernel.wasm by compile-kernel.ts. The vectors' memory and that of
;; a query's columns each have an instance.
(module
  (import "search" "memory" (memory 1 65536))

  ;; Distances of 32 signatures at a time, `groups` times, from what `table` was made of: of each byte of a signature, 16
  ;; values for its lower four bits and 16 for its upper four, to be added up; a value is at most 31. Signatures are
  ;; `size` bytes (a multiple of 4), the bytes of a group's 32 one after the other; a distance is an unsigned 16-bit number.
  (func (export "distances")
    (param $table i32) (param $signatures i32) (param $groups i32) (param $size i32) (param $out i32)
    (local $end i32) (local $row i32) (local $last i32) (local $nibble v128) (local $codes v128)
    (local $low v128) (local $high v128) (local $sum0 v128) (local $sum1 v128)
    (local $total0 v128) (local $total1 v128) (local $total2 v128) (local $total3 v128)
    (local.set $nibble (v128.const i32x4 0x0f0f0f0f 0x0f0f0f0f 0x0f0f0f0f 0x0f0f0f0f))
    (local.set $end (i32.add (local.get $out) (i32.shl (local.get $groups) (i32.const 6))))
    (local.set $last (i32.add (local.get $table) (i32.shl (local.get $size) (i32.const 5))))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $out) (local.get $end)))
        (local.set $total0 (v128.const i32x4 0 0 0 0))
        (local.set $total1 (v128.const i32x4 0 0 0 0))
        (local.set $total2 (v128.const i32x4 0 0 0 0))
        (local.set $total3 (v128.const i32x4 0 0 0 0))
        (local.set $row (local.get $table))
        (loop $step
          ;; Eight values of at most 31 fit into a byte.
          (local.set $sum0 (v128.const i32x4 0 0 0 0))
          (local.set $sum1 (v128.const i32x4 0 0 0 0))
          (local.set $low (v128.load offset=0 (local.get $row)))
          (local.set $high (v128.load offset=16 (local.get $row)))
          (local.set $codes (v128.load offset=0 (local.get $signatures)))
          (local.set $sum0
            (i8x16.add (local.get $sum0)
              (i8x16.add
                (i8x16.relaxed_swizzle (local.get $low) (v128.and (local.get $codes) (local.get $nibble)))
                (i8x16.relaxed_swizzle (local.get $high)
                  (v128.and (i16x8.shr_u (local.get $codes) (i32.const 4)) (local.get $nibble))))))
          (local.set $codes (v128.load offset=16 (local.get $signatures)))
          (local.set $sum1
            (i8x16.add (local.get $sum1)
              (i8x16.add
                (i8x16.relaxed_swizzle (local.get $low) (v128.and (local.get $codes) (local.get $nibble)))
                (i8x16.relaxed_swizzle (local.get $high)
                  (v128.and (i16x8.shr_u (local.get $codes) (i32.const 4)) (local.get $nibble))))))
          (local.set $low (v128.load offset=32 (local.get $row)))
          (local.set $high (v128.load offset=48 (local.get $row)))
          (local.set $codes (v128.load offset=32 (local.get $signatures)))
          (local.set $sum0
            (i8x16.add (local.get $sum0)
              (i8x16.add
                (i8x16.relaxed_swizzle (local.get $low) (v128.and (local.get $codes) (local.get $nibble)))
                (i8x16.relaxed_swizzle (local.get $high)
                  (v128.and (i16x8.shr_u (local.get $codes) (i32.const 4)) (local.get $nibble))))))
          (local.set $codes (v128.load offset=48 (local.get $signatures)))
          (local.set $sum1
            (i8x16.add (local.get $sum1)
              (i8x16.add
                (i8x16.relaxed_swizzle (local.get $low) (v128.and (local.get $codes) (local.get $nibble)))
                (i8x16.relaxed_swizzle (local.get $high)
                  (v128.and (i16x8.shr_u (local.get $codes) (i32.const 4)) (local.get $nibble))))))
          (local.set $low (v128.load offset=64 (local.get $row)))
          (local.set $high (v128.load offset=80 (local.get $row)))
          (local.set $codes (v128.load offset=64 (local.get $signatures)))
          (local.set $sum0
            (i8x16.add (local.get $sum0)
              (i8x16.add
                (i8x16.relaxed_swizzle (local.get $low) (v128.and (local.get $codes) (local.get $nibble)))
                (i8x16.relaxed_swizzle (local.get $high)
                  (v128.and (i16x8.shr_u (local.get $codes) (i32.const 4)) (local.get $nibble))))))
          (local.set $codes (v128.load offset=80 (local.get $signatures)))
          (local.set $sum1
            (i8x16.add (local.get $sum1)
              (i8x16.add
                (i8x16.relaxed_swizzle (local.get $low) (v128.and (local.get $codes) (local.get $nibble)))
                (i8x16.relaxed_swizzle (local.get $high)
                  (v128.and (i16x8.shr_u (local.get $codes) (i32.const 4)) (local.get $nibble))))))
          (local.set $low (v128.load offset=96 (local.get $row)))
          (local.set $high (v128.load offset=112 (local.get $row)))
          (local.set $codes (v128.load offset=96 (local.get $signatures)))
          (local.set $sum0
            (i8x16.add (local.get $sum0)
              (i8x16.add
                (i8x16.relaxed_swizzle (local.get $low) (v128.and (local.get $codes) (local.get $nibble)))
                (i8x16.relaxed_swizzle (local.get $high)
                  (v128.and (i16x8.shr_u (local.get $codes) (i32.const 4)) (local.get $nibble))))))
          (local.set $codes (v128.load offset=112 (local.get $signatures)))
          (local.set $sum1
            (i8x16.add (local.get $sum1)
              (i8x16.add
                (i8x16.relaxed_swizzle (local.get $low) (v128.and (local.get $codes) (local.get $nibble)))
                (i8x16.relaxed_swizzle (local.get $high)
                  (v128.and (i16x8.shr_u (local.get $codes) (i32.const 4)) (local.get $nibble))))))
          (local.set $total0
            (i16x8.add (local.get $total0) (i16x8.extend_low_i8x16_u (local.get $sum0))))
          (local.set $total1
            (i16x8.add (local.get $total1) (i16x8.extend_high_i8x16_u (local.get $sum0))))
          (local.set $total2
            (i16x8.add (local.get $total2) (i16x8.extend_low_i8x16_u (local.get $sum1))))
          (local.set $total3
            (i16x8.add (local.get $total3) (i16x8.extend_high_i8x16_u (local.get $sum1))))
          (local.set $signatures (i32.add (local.get $signatures) (i32.const 128)))
          (local.set $row (i32.add (local.get $row) (i32.const 128)))
          (br_if $step (i32.lt_u (local.get $row) (local.get $last))))
        (v128.store offset=0 (local.get $out) (local.get $total0))
        (v128.store offset=16 (local.get $out) (local.get $total1))
        (v128.store offset=32 (local.get $out) (local.get $total2))
        (v128.store offset=48 (local.get $out) (local.get $total3))
        (local.set $out (i32.add (local.get $out) (i32.const 64)))
        (br $next))))

  ;; Dot products of one vector with `count` others (a multiple of four), whose addresses are listed at `addresses`.
  ;; Four at a time, so that their ways from memory overlap. Vectors are `size` bytes (a multiple of 64) of signed
  ;; 16-bit numbers; a product is a signed 32-bit number.
  (func (export "dots")
    (param $query i32) (param $addresses i32) (param $count i32) (param $size i32) (param $out i32)
    (local $at i32) (local $end i32) (local $last i32) (local $query0 v128) (local $query1 v128)
    (local $vector0 i32) (local $vector1 i32) (local $vector2 i32) (local $vector3 i32)
    (local $sum0 v128) (local $sum1 v128) (local $sum2 v128) (local $sum3 v128)
    (local.set $end (i32.add (local.get $out) (i32.shl (local.get $count) (i32.const 2))))
    (local.set $last (i32.add (local.get $query) (local.get $size)))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $out) (local.get $end)))
        (local.set $vector0 (i32.load offset=0 (local.get $addresses)))
        (local.set $sum0 (v128.const i32x4 0 0 0 0))
        (local.set $vector1 (i32.load offset=4 (local.get $addresses)))
        (local.set $sum1 (v128.const i32x4 0 0 0 0))
        (local.set $vector2 (i32.load offset=8 (local.get $addresses)))
        (local.set $sum2 (v128.const i32x4 0 0 0 0))
        (local.set $vector3 (i32.load offset=12 (local.get $addresses)))
        (local.set $sum3 (v128.const i32x4 0 0 0 0))
        (local.set $at (local.get $query))
        (loop $step
            (local.set $query0 (v128.load offset=0 (local.get $at)))
            (local.set $query1 (v128.load offset=16 (local.get $at)))
            (local.set $sum0
              (i32x4.add
                (local.get $sum0)
                (i32x4.add
                  (i32x4.dot_i16x8_s (local.get $query0) (v128.load offset=0 (local.get $vector0)))
                  (i32x4.dot_i16x8_s (local.get $query1) (v128.load offset=16 (local.get $vector0))))))
            (local.set $vector0 (i32.add (local.get $vector0) (i32.const 32)))
            (local.set $sum1
              (i32x4.add
                (local.get $sum1)
                (i32x4.add
                  (i32x4.dot_i16x8_s (local.get $query0) (v128.load offset=0 (local.get $vector1)))
                  (i32x4.dot_i16x8_s (local.get $query1) (v128.load offset=16 (local.get $vector1))))))
            (local.set $vector1 (i32.add (local.get $vector1) (i32.const 32)))
            (local.set $sum2
              (i32x4.add
                (local.get $sum2)
                (i32x4.add
                  (i32x4.dot_i16x8_s (local.get $query0) (v128.load offset=0 (local.get $vector2)))
                  (i32x4.dot_i16x8_s (local.get $query1) (v128.load offset=16 (local.get $vector2))))))
            (local.set $vector2 (i32.add (local.get $vector2) (i32.const 32)))
            (local.set $sum3
              (i32x4.add
                (local.get $sum3)
                (i32x4.add
                  (i32x4.dot_i16x8_s (local.get $query0) (v128.load offset=0 (local.get $vector3)))
                  (i32x4.dot_i16x8_s (local.get $query1) (v128.load offset=16 (local.get $vector3))))))
            (local.set $vector3 (i32.add (local.get $vector3) (i32.const 32)))
            (local.set $at (i32.add (local.get $at) (i32.const 32)))
            (br_if $step (i32.lt_u (local.get $at) (local.get $last))))
        (v128.store (local.get $out)
          (call $across (local.get $sum0) (local.get $sum1) (local.get $sum2) (local.get $sum3)))
        (local.set $addresses (i32.add (local.get $addresses) (i32.const 16)))
        (local.set $out (i32.add (local.get $out) (i32.const 16)))
        (br $next))))

  ;; The sum of each vector's four numbers.
  (func $across (param $a v128) (param $b v128) (param $c v128) (param $d v128) (result v128)
    (local.set $a
      (i32x4.add
        (i8x16.shuffle 0 1 2 3 8 9 10 11 16 17 18 19 24 25 26 27 (local.get $a) (local.get $b))
        (i8x16.shuffle 4 5 6 7 12 13 14 15 20 21 22 23 28 29 30 31 (local.get $a) (local.get $b))))
    (local.set $c
      (i32x4.add
        (i8x16.shuffle 0 1 2 3 8 9 10 11 16 17 18 19 24 25 26 27 (local.get $c) (local.get $d))
        (i8x16.shuffle 4 5 6 7 12 13 14 15 20 21 22 23 28 29 30 31 (local.get $c) (local.get $d))))
    (i32x4.add
      (i8x16.shuffle 0 1 2 3 8 9 10 11 16 17 18 19 24 25 26 27 (local.get $a) (local.get $c))
      (i8x16.shuffle 4 5 6 7 12 13 14 15 20 21 22 23 28 29 30 31 (local.get $a) (local.get $c))))

  ;; For each item the highest of its slots' numbers but the last one's: 32-bit floats, none negative, which compare
  ;; as whole numbers do. `ends`: for each item where its slots end, which is where the next one's begin.
  (func (export "highest") (param $values i32) (param $ends i32) (param $items i32) (param $out i32)
    (local $stop i32) (local $at i32) (local $last i32) (local $end i32) (local $value i32) (local $best i32)
    (local $four v128)
    (local.set $stop (i32.add (local.get $out) (i32.shl (local.get $items) (i32.const 2))))
    (local.set $at (local.get $values))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $out) (local.get $stop)))
        (local.set $end
          (i32.add (local.get $values) (i32.shl (i32.load (local.get $ends)) (i32.const 2))))
        (local.set $last (i32.sub (local.get $end) (i32.const 4)))
        (if (i32.ge_u (i32.sub (local.get $last) (local.get $at)) (i32.const 16))
          (then
            ;; The last four once more: it does no harm.
            (local.set $last (i32.sub (local.get $last) (i32.const 16)))
            (local.set $four (v128.load (local.get $last)))
            (loop $step
              (local.set $four (i32x4.max_s (local.get $four) (v128.load (local.get $at))))
              (local.set $at (i32.add (local.get $at) (i32.const 16)))
              (br_if $step (i32.lt_u (local.get $at) (local.get $last))))
            (local.set $four
              (i32x4.max_s (local.get $four)
                (i8x16.shuffle 8 9 10 11 12 13 14 15 0 1 2 3 4 5 6 7 (local.get $four) (local.get $four))))
            (local.set $best
              (i32x4.extract_lane 0
                (i32x4.max_s (local.get $four)
                  (i8x16.shuffle 4 5 6 7 0 1 2 3 12 13 14 15 8 9 10 11 (local.get $four) (local.get $four))))))
          (else
            (local.set $best (i32.const 0))
            (block $over
              (loop $step
                (br_if $over (i32.ge_u (local.get $at) (local.get $last)))
                (local.set $value (i32.load (local.get $at)))
                (local.set $best
                  (select (local.get $value) (local.get $best)
                    (i32.gt_s (local.get $value) (local.get $best))))
                (local.set $at (i32.add (local.get $at) (i32.const 4)))
                (br $step)))))
        (i32.store (local.get $out) (local.get $best))
        (local.set $at (local.get $end))
        (local.set $ends (i32.add (local.get $ends) (i32.const 4)))
        (local.set $out (i32.add (local.get $out) (i32.const 4)))
        (br $next))))

  ;; For each item selected (a byte of 1) the lowest of its slots' unsigned 16-bit numbers, counted at `counts`
  ;; (32 bits a value); 65535 for the others.
  (func (export "lowest")
    (param $values i32) (param $ends i32) (param $selected i32) (param $items i32) (param $out i32)
    (param $counts i32)
    (local $stop i32) (local $at i32) (local $last i32) (local $end i32) (local $value i32) (local $best i32)
    (local $four v128)
    (local.set $stop (i32.add (local.get $out) (i32.shl (local.get $items) (i32.const 1))))
    (local.set $at (local.get $values))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $out) (local.get $stop)))
        (local.set $end
          (i32.add (local.get $values) (i32.shl (i32.load (local.get $ends)) (i32.const 1))))
        (local.set $best (i32.const 65535))
        (if (i32.load8_u (local.get $selected))
          (then
            (if (i32.ge_u (i32.sub (local.get $end) (local.get $at)) (i32.const 8))
              (then
                (local.set $last (i32.sub (local.get $end) (i32.const 8)))
                (local.set $four (v128.load16x4_u (local.get $last)))
                (loop $step
                  (local.set $four
                    (i32x4.min_s (local.get $four) (v128.load16x4_u (local.get $at))))
                  (local.set $at (i32.add (local.get $at) (i32.const 8)))
                  (br_if $step (i32.lt_u (local.get $at) (local.get $last))))
                (local.set $four
                  (i32x4.min_s (local.get $four)
                    (i8x16.shuffle 8 9 10 11 12 13 14 15 0 1 2 3 4 5 6 7
                      (local.get $four) (local.get $four))))
                (local.set $best
                  (i32x4.extract_lane 0
                    (i32x4.min_s (local.get $four)
                      (i8x16.shuffle 4 5 6 7 0 1 2 3 12 13 14 15 8 9 10 11
                        (local.get $four) (local.get $four))))))
              (else
                (block $over
                  (loop $step
                    (br_if $over (i32.ge_u (local.get $at) (local.get $end)))
                    (local.set $value (i32.load16_u (local.get $at)))
                    (local.set $best
                      (select (local.get $value) (local.get $best)
                        (i32.lt_u (local.get $value) (local.get $best))))
                    (local.set $at (i32.add (local.get $at) (i32.const 2)))
                    (br $step)))))
            (local.set $value (i32.add (local.get $counts) (i32.shl (local.get $best) (i32.const 2))))
            (i32.store (local.get $value) (i32.add (i32.load (local.get $value)) (i32.const 1)))))
        (i32.store16 (local.get $out) (local.get $best))
        (local.set $at (local.get $end))
        (local.set $ends (i32.add (local.get $ends) (i32.const 4)))
        (local.set $selected (i32.add (local.get $selected) (i32.const 1)))
        (local.set $out (i32.add (local.get $out) (i32.const 2)))
        (br $next))))

  ;; Lists (32 bits each) the numbers from `first` below `end` whose 16-bit values are at most `most`; how many.
  (func (export "within")
    (param $values i32) (param $first i32) (param $end i32) (param $most i32) (param $out i32) (result i32)
    (local $start i32)
    (local.set $start (local.get $out))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $first) (local.get $end)))
        (i32.store (local.get $out) (local.get $first))
        (local.set $out
          (i32.add (local.get $out)
            (i32.shl
              (i32.le_u
                (i32.load16_u (i32.add (local.get $values) (i32.shl (local.get $first) (i32.const 1))))
                (local.get $most))
              (i32.const 2))))
        (local.set $first (i32.add (local.get $first) (i32.const 1)))
        (br $next)))
    (i32.shr_u (i32.sub (local.get $out) (local.get $start)) (i32.const 2)))

  ;; Adds `weight` × frequency / (frequency + norm) to the sum of each posting's slot. A posting is 24 bits of a slot and
  ;; 8 of a frequency, `count` of them a multiple of four; norms and sums are 32-bit floats by slot.
  (func (export "addScores")
    (param $postings i32) (param $count i32) (param $weight f32) (param $norms i32) (param $sums i32)
    (local $end i32) (local $a i32) (local $b i32) (local $c i32) (local $d i32)
    (local $four v128) (local $norm v128) (local $score v128) (local $weights v128)
    (local.set $weights (f32x4.splat (local.get $weight)))
    (local.set $end (i32.add (local.get $postings) (i32.shl (local.get $count) (i32.const 2))))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $postings) (local.get $end)))
        ;; Four times the slots: where their numbers are.
        (local.set $four
          (v128.and
            (i32x4.shr_u (v128.load (local.get $postings)) (i32.const 6))
            (v128.const i32x4 0xfffffffc 0xfffffffc 0xfffffffc 0xfffffffc)))
        (local.set $a (i32x4.extract_lane 0 (local.get $four)))
        (local.set $b (i32x4.extract_lane 1 (local.get $four)))
        (local.set $c (i32x4.extract_lane 2 (local.get $four)))
        (local.set $d (i32x4.extract_lane 3 (local.get $four)))
        (local.set $norm (v128.load32_zero (i32.add (local.get $norms) (local.get $a))))
        (local.set $norm (v128.load32_lane 1 (i32.add (local.get $norms) (local.get $b)) (local.get $norm)))
        (local.set $norm (v128.load32_lane 2 (i32.add (local.get $norms) (local.get $c)) (local.get $norm)))
        (local.set $norm (v128.load32_lane 3 (i32.add (local.get $norms) (local.get $d)) (local.get $norm)))
        (local.set $four
          (f32x4.convert_i32x4_s
            (v128.and (v128.load (local.get $postings)) (v128.const i32x4 255 255 255 255))))
        (local.set $score
          (f32x4.div
            (f32x4.mul (local.get $weights) (local.get $four))
            (f32x4.add (local.get $four) (local.get $norm))))
        (f32.store (i32.add (local.get $sums) (local.get $a))
          (f32.add
            (f32.load (i32.add (local.get $sums) (local.get $a)))
            (f32x4.extract_lane 0 (local.get $score))))
        (f32.store (i32.add (local.get $sums) (local.get $b))
          (f32.add
            (f32.load (i32.add (local.get $sums) (local.get $b)))
            (f32x4.extract_lane 1 (local.get $score))))
        (f32.store (i32.add (local.get $sums) (local.get $c))
          (f32.add
            (f32.load (i32.add (local.get $sums) (local.get $c)))
            (f32x4.extract_lane 2 (local.get $score))))
        (f32.store (i32.add (local.get $sums) (local.get $d))
          (f32.add
            (f32.load (i32.add (local.get $sums) (local.get $d)))
            (f32x4.extract_lane 3 (local.get $score))))
        (local.set $postings (i32.add (local.get $postings) (i32.const 16)))
        (br $next))))

  ;; Counts 32-bit floats by how far their bits are below those of the highest (0 where none is above 0), at `counts`:
  ;; 4096 counts of 32 bits, each of 2^14 bits, the last of all that are farther. Answers the highest's bits.
  (func (export "tally") (param $values i32) (param $count i32) (param $counts i32) (result i32)
    (local $at i32) (local $end i32) (local $value i32) (local $most i32)
    (local.set $end (i32.add (local.get $values) (i32.shl (local.get $count) (i32.const 2))))
    (local.set $at (local.get $values))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $at) (local.get $end)))
        (local.set $value (i32.load (local.get $at)))
        (local.set $most
          (select (local.get $value) (local.get $most) (i32.gt_s (local.get $value) (local.get $most))))
        (local.set $at (i32.add (local.get $at) (i32.const 4)))
        (br $next)))
    (local.set $at (local.get $values))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $at) (local.get $end)))
        (local.set $value
          (i32.shr_u (i32.sub (local.get $most) (i32.load (local.get $at))) (i32.const 14)))
        (local.set $value
          (select (local.get $value) (i32.const 4095) (i32.lt_u (local.get $value) (i32.const 4095))))
        (local.set $value (i32.add (local.get $counts) (i32.shl (local.get $value) (i32.const 2))))
        (i32.store (local.get $value) (i32.add (i32.load (local.get $value)) (i32.const 1)))
        (local.set $at (i32.add (local.get $at) (i32.const 4)))
        (br $next)))
    (local.get $most))

  ;; Lists (32 bits each) the places of the 32-bit floats whose bits are, as a signed number, at least `least`; how many.
  (func (export "reaching") (param $values i32) (param $count i32) (param $least i32) (param $out i32) (result i32)
    (local $start i32) (local $place i32)
    (local.set $start (local.get $out))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $place) (local.get $count)))
        (i32.store (local.get $out) (local.get $place))
        (local.set $out
          (i32.add (local.get $out)
            (i32.shl
              (i32.ge_s
                (i32.load (i32.add (local.get $values) (i32.shl (local.get $place) (i32.const 2))))
                (local.get $least))
              (i32.const 2))))
        (local.set $place (i32.add (local.get $place) (i32.const 1)))
        (br $next)))
    (i32.shr_u (i32.sub (local.get $out) (local.get $start)) (i32.const 2))))
