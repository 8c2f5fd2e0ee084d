// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What tests/peers/compiler-profiles-rust.sh compiles, records and compiles again: words counted in a map, virtual calls, errors.
use std::collections::BTreeMap;

trait Shape {
    fn area(&self) -> u64;
}
struct Square(u64);
struct Polygon(Vec<(u64, u64)>);

impl Shape for Square {
    fn area(&self) -> u64 {
        self.0 * self.0
    }
}
impl Shape for Polygon {
    fn area(&self) -> u64 {
        let next = self.0.iter().cycle().skip(1);
        self.0.iter().zip(next).fold(0u64, |sum, (a, b)| sum.wrapping_add(a.0 * b.1).wrapping_sub(b.0 * a.1))
    }
}

#[inline(never)]
fn parse(text: &str) -> Result<u64, String> {
    text.bytes().try_fold(0u64, |sum, c| match c {
        b'0'..=b'9' => Ok(sum.wrapping_mul(10) + u64::from(c - b'0')),
        _ => Err(format!("no digit: {}", c)),
    })
}

fn main() {
    let rounds: u64 = std::env::args().nth(1).and_then(|word| word.parse().ok()).unwrap_or(400_000);
    let (mut words, mut seed, mut sum, mut wrong) = (BTreeMap::new(), 1u64, 0u64, 0u64);
    for round in 0..rounds {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        *words.entry(format!("word{}", seed >> 54)).or_insert(0u64) += round;
        let shape: Box<dyn Shape> = match seed >> 62 {
            0 => Box::new(Square(round)),
            _ => Box::new(Polygon((0..3 + (seed >> 58) % 5).map(|i| (i, i * i % 7)).collect())),
        };
        sum = sum.wrapping_add(shape.area());
        match parse(if round % 7 == 0 { "12x" } else { "1234567" }) {
            Ok(number) => sum = sum.wrapping_add(number),
            Err(_) => wrong += 1,
        }
    }
    println!("{} words, {}, {} wrong, sum {}", words.len(), words.values().sum::<u64>(), wrong, sum);
}
