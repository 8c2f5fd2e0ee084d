// Written for this project, public domain (CC0): what Rust brings that C does not.  Generic code with equal bodies, virtual calls, closures, a
// match over many values, panics that are caught, and the standard library linked in.
use std::collections::{BTreeMap, HashMap};
use std::panic;

trait Shape {
    fn area(&self) -> u64;
    fn name(&self) -> &'static str;
}
struct Square(u64);
struct Polygon(Vec<(u64, u64)>);
struct Circle(u64);

impl Shape for Square {
    fn area(&self) -> u64 {
        self.0.wrapping_mul(self.0)
    }
    fn name(&self) -> &'static str {
        "square"
    }
}
impl Shape for Polygon {
    fn area(&self) -> u64 {
        let next = self.0.iter().cycle().skip(1);
        self.0.iter().zip(next).fold(0u64, |sum, (a, b)| sum.wrapping_add(a.0 * b.1).wrapping_sub(b.0 * a.1))
    }
    fn name(&self) -> &'static str {
        "polygon"
    }
}
impl Shape for Circle {
    fn area(&self) -> u64 {
        self.0.wrapping_mul(self.0).wrapping_mul(355) / 113
    }
    fn name(&self) -> &'static str {
        "circle"
    }
}

// The same code for types of the same size.
struct Metres(i64);
struct Seconds(i64);

trait Amount {
    fn get(&self) -> i64;
}
impl Amount for Metres {
    #[inline(never)]
    fn get(&self) -> i64 {
        self.0.rotate_left(7) ^ self.0
    }
}
impl Amount for Seconds {
    #[inline(never)]
    fn get(&self) -> i64 {
        self.0.rotate_left(7) ^ self.0
    }
}

#[inline(never)]
fn largest<T: Amount>(all: &[T]) -> i64 {
    let mut best = i64::MIN;
    for one in all {
        let value = one.get();
        if value > best {
            best = value;
        }
    }
    best
}

#[inline(never)]
fn step(code: u8, sum: u64) -> u64 {
    match code {
        0 => sum.wrapping_add(3),
        1 => sum.wrapping_mul(5),
        2 => sum ^ 0x55,
        3 => sum.rotate_left(9),
        4 => sum.wrapping_sub(11),
        5 => !sum,
        6 => sum.leading_zeros() as u64,
        7 => sum / 3,
        8 => sum % 1_000_003,
        _ => sum,
    }
}

#[inline(never)]
fn parse(text: &str) -> Result<u64, String> {
    text.bytes().try_fold(0u64, |sum, c| match c {
        b'0'..=b'9' => Ok(sum.wrapping_mul(10) + u64::from(c - b'0')),
        _ => Err(format!("no digit: {}", c as char)),
    })
}

fn main() {
    panic::set_hook(Box::new(|_| ()));
    let rounds: u64 = std::env::args().nth(1).and_then(|word| word.parse().ok()).unwrap_or(1000);
    let (mut words, mut seed, mut sum, mut wrong, mut caught) = (BTreeMap::new(), 1u64, 0u64, 0u64, 0u64);
    let mut names: HashMap<&str, u64, std::hash::BuildHasherDefault<std::collections::hash_map::DefaultHasher>> =
        HashMap::default();
    let metres: Vec<Metres> = (0..20).map(|i| Metres(i * 77)).collect();
    let seconds: Vec<Seconds> = (0..30).map(|i| Seconds(i * 55)).collect();
    for round in 0..rounds {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        *words.entry(format!("word{}", seed >> 54)).or_insert(0u64) += round;
        let shape: Box<dyn Shape> = match seed >> 61 {
            0 => Box::new(Square(round)),
            1 | 2 => Box::new(Circle(round)),
            _ => Box::new(Polygon((0..3 + (seed >> 58) % 5).map(|i| (i, i * i % 7)).collect())),
        };
        sum = sum.wrapping_add(shape.area());
        *names.entry(shape.name()).or_insert(0) += 1;
        sum = step((seed >> 40) as u8 % 12, sum);
        sum ^= (largest(&metres) + largest(&seconds)) as u64;
        match parse(if round % 7 == 0 { "12x" } else { "1234567" }) {
            Ok(number) => sum = sum.wrapping_add(number),
            Err(_) => wrong += 1,
        }
        if round % 50 == 0 {
            let index = (seed >> 59) as usize;
            caught += panic::catch_unwind(|| [1u64, 2, 3][index % 5]).is_err() as u64;
        }
    }
    let mut seen: Vec<_> = names.into_iter().collect();
    seen.sort_by_key(|pair| std::cmp::Reverse(pair.1));
    println!("{} words, {}, {} wrong, {} caught, sum {}, {:?}", words.len(), words.values().sum::<u64>(), wrong, caught, sum, seen);
}
