//! Expressions of the console, of watches and of conditions: paths of variables, registers,
//! memory, and comparisons.
//!
//! ```text
//!  sum > 10 && queue.items[2].0 != *pointer        variables of the frame, then statics
//!  app::COUNT + 1    $sp    $xpsr    *0x20000000    0x2a
//! ```

use crate::debug::types::view::View;
use crate::debug::values::{Shower, Value, parse_number};

/// An expression nests no deeper.
const DEPTH_MAX: u32 = 64;

/// What an expression is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Meaning {
    /// A value of the program.
    Value(Value),
    /// A number that was computed, or of a register.
    Number(i128),
    /// A comparison.
    Truth(bool),
}

/// What names stand for.
pub trait Names {
    /// The variable of a name, or the static of a path.
    fn variable(&self, name: &str) -> Option<Result<Value, String>>;

    /// The register of a name.
    fn register(&self, name: &str) -> Option<u32>;

    /// The word at an address.
    fn word(&self, address: u32) -> Option<u32>;

    /// What shows values.
    fn shower(&self) -> Shower<'_>;
}

/// Evaluates an expression.
/// # Errors
/// It makes no sense, or a part of it has no value; in words.
pub fn evaluate(text: &str, names: &dyn Names) -> Result<Meaning, String> {
    let mut parser = Parser { text, at: 0, names, depth: 0 };
    let result = parser.either()?;
    parser.space();
    match parser.rest() {
        "" => Ok(result),
        rest => Err(format!("\"{rest}\" makes no sense here")),
    }
}

/// The value as a truth, for a condition.
pub fn truth(result: &Meaning, names: &dyn Names) -> Result<bool, String> {
    Ok(number(result, names)? != 0)
}

/// The value as a number.
pub fn number(result: &Meaning, names: &dyn Names) -> Result<i128, String> {
    match result {
        Meaning::Number(number) => Ok(*number),
        Meaning::Truth(truth) => Ok(i128::from(*truth)),
        Meaning::Value(value) => {
            let shower = names.shower();
            match shower.scalar(value) {
                Some(number) => number.map_err(|unknown| unknown.to_string()),
                None => Err(format!("a {} is no number", shower.type_name(value))),
            }
        }
    }
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    names: &'a dyn Names,
    depth: u32,
}

impl<'a> Parser<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn space(&mut self) {
        self.at = self.text.len() - self.rest().trim_start().len();
    }

    /// Takes one of the words if it is next.
    fn takes(&mut self, words: &[&'static str]) -> Option<&'static str> {
        self.space();
        let word = words.iter().find(|word| self.rest().starts_with(**word))?;
        self.at += word.len();
        Some(word)
    }

    fn either(&mut self) -> Result<Meaning, String> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return Err("the expression nests too deep".into());
        }
        let mut left = self.both()?;
        while self.takes(&["||"]).is_some() {
            let right = self.both()?;
            let or = truth(&left, self.names)? || truth(&right, self.names)?;
            left = Meaning::Truth(or);
        }
        self.depth -= 1;
        Ok(left)
    }

    fn both(&mut self) -> Result<Meaning, String> {
        let mut left = self.comparison()?;
        while self.takes(&["&&"]).is_some() {
            let right = self.comparison()?;
            let and = truth(&left, self.names)? && truth(&right, self.names)?;
            left = Meaning::Truth(and);
        }
        Ok(left)
    }

    fn comparison(&mut self) -> Result<Meaning, String> {
        let left = self.sum()?;
        let Some(operator) = self.takes(&["==", "!=", "<=", ">=", "<", ">"]) else {
            return Ok(left);
        };
        // The name of a variant, as `state == Idle`.
        if let Some(is_it) = self.variant(&left, operator) {
            return Ok(Meaning::Truth(is_it));
        }
        let right = self.sum()?;
        let (left, right) = (number(&left, self.names)?, number(&right, self.names)?);
        Ok(Meaning::Truth(match operator {
            "==" => left == right,
            "!=" => left != right,
            "<=" => left <= right,
            ">=" => left >= right,
            "<" => left < right,
            _ => left > right,
        }))
    }

    fn variant(&mut self, left: &Meaning, operator: &str) -> Option<bool> {
        let Meaning::Value(value) = left else { return None };
        let shower = self.names.shower();
        let View::Variant(active, _) = shower.view(value) else { return None };
        self.space();
        let word = word(self.rest());
        if !["==", "!="].contains(&operator) || word.is_empty() {
            return None;
        }
        let is_it = active == Some(word.rsplit("::").next().unwrap_or(word));
        self.at += word.len();
        Some(is_it == (operator == "=="))
    }

    fn sum(&mut self) -> Result<Meaning, String> {
        let mut left = self.product()?;
        loop {
            self.space();
            // A single one takes the bits that both have.
            let is_and = self.rest().starts_with('&') && !self.rest().starts_with("&&");
            let operators: &[&'static str] = if is_and { &["&"] } else { &["+", "-"] };
            let Some(operator) = self.takes(operators) else { return Ok(left) };
            let right = self.product()?;
            left = self.computed(operator, &left, &right)?;
        }
    }

    fn product(&mut self) -> Result<Meaning, String> {
        let mut left = self.unary()?;
        while let Some(operator) = self.takes(&["*", "/", "%"]) {
            let right = self.unary()?;
            left = self.computed(operator, &left, &right)?;
        }
        Ok(left)
    }

    fn computed(&self, by: &str, left: &Meaning, right: &Meaning) -> Result<Meaning, String> {
        let (a, b) = (number(left, self.names)?, number(right, self.names)?);
        let result = match by {
            "+" => a.checked_add(b),
            "-" => a.checked_sub(b),
            "*" => a.checked_mul(b),
            "/" => a.checked_div(b),
            "%" => a.checked_rem(b),
            _ => Some(a & b),
        };
        Ok(Meaning::Number(result.ok_or("the result is no number")?))
    }

    fn unary(&mut self) -> Result<Meaning, String> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return Err("the expression nests too deep".into());
        }
        let operator = self.takes(&["*", "&", "!", "-"]);
        let result = match operator {
            None => self.postfix(),
            Some("!") => {
                let inside = self.unary()?;
                Ok(Meaning::Truth(!truth(&inside, self.names)?))
            }
            Some("-") => {
                let inside = self.unary()?;
                Ok(Meaning::Number(-number(&inside, self.names)?))
            }
            Some("&") => {
                let _ = self.takes(&["mut "]);
                self.unary().and_then(|inside| match inside {
                    Meaning::Value(value) => {
                        let address =
                            value.address().ok_or("it is in no memory, so has no address")?;
                        Ok(Meaning::Number(address.into()))
                    }
                    _ => Err("only a variable has an address".into()),
                })
            }
            Some(_) => self.unary().and_then(|inside| self.pointed(&inside)),
        };
        self.depth -= 1;
        result
    }

    fn pointed(&self, inside: &Meaning) -> Result<Meaning, String> {
        if let Meaning::Value(value) = inside {
            let shower = self.names.shower();
            if let Some(to) = shower.target(value) {
                return Ok(Meaning::Value(to));
            }
        }
        let address = number(inside, self.names)?;
        let at = u32::try_from(address).ok().and_then(|address| self.names.word(address));
        let word = at.ok_or_else(|| format!("nothing can be read at {address:#010x}"))?;
        Ok(Meaning::Number(word.into()))
    }

    fn postfix(&mut self) -> Result<Meaning, String> {
        let mut result = self.primary()?;
        loop {
            if self.rest().starts_with('.') {
                self.at += 1;
                let name = if self.takes(&["*"]).is_some() { "*" } else { self.word()? };
                result =
                    if name == "*" { self.pointed(&result)? } else { self.field(&result, name)? };
            } else if self.takes(&["["]).is_some() {
                let index = self.either()?;
                let index = number(&index, self.names)?;
                self.takes(&["]"]).ok_or("a ] is missing")?;
                result = self.element(&result, index)?;
            } else {
                return Ok(result);
            }
        }
    }

    /// A field, also of what a pointer points to, as Rust does.
    fn field(&self, of: &Meaning, name: &str) -> Result<Meaning, String> {
        let Meaning::Value(value) = of else { return Err("a number has no fields".into()) };
        let shower = self.names.shower();
        let mut value = value.clone();
        for _ in 0..DEPTH_MAX {
            let mut parts = shower.parts(&value);
            if let Some(at) = parts.iter().position(|(part, _)| part == name) {
                return Ok(Meaning::Value(parts.swap_remove(at).1));
            }
            let Some(to) = shower.target(&value) else { break };
            value = to;
        }
        let names: Vec<String> = shower.parts(&value).into_iter().map(|(name, _)| name).collect();
        let has =
            if names.is_empty() { String::new() } else { format!(": it has {}", names.join(", ")) };
        Err(format!("{} has no field {name}{has}", shower.type_name(&value)))
    }

    fn element(&self, of: &Meaning, index: i128) -> Result<Meaning, String> {
        let Meaning::Value(value) = of else { return Err("a number has no elements".into()) };
        let shower = self.names.shower();
        let (count, _) = shower.counts(value);
        let at = u32::try_from(index).ok().filter(|index| *index < count);
        let at = at.ok_or_else(|| format!("there is no element {index}: it has {count}"))?;
        let element = shower.elements(value, at, 1).pop();
        element.map(Meaning::Value).ok_or_else(|| "it has no elements".into())
    }

    fn primary(&mut self) -> Result<Meaning, String> {
        if self.takes(&["("]).is_some() {
            let inside = self.either()?;
            self.takes(&[")"]).ok_or("a ) is missing")?;
            return Ok(inside);
        }
        if self.takes(&["$"]).is_some() {
            let name = self.word()?;
            let value = self.names.register(name);
            let value = value.ok_or_else(|| format!("there is no register {name}"))?;
            return Ok(Meaning::Number(value.into()));
        }
        let word = self.word()?;
        if word.starts_with(|first: char| first.is_ascii_digit()) {
            let number = parse_number(word).ok_or_else(|| format!("\"{word}\" is no number"))?;
            return Ok(Meaning::Number(number));
        }
        match word {
            "true" => return Ok(Meaning::Truth(true)),
            "false" => return Ok(Meaning::Truth(false)),
            _ => {}
        }
        if let Some(value) = self.names.variable(word) {
            return value.map(Meaning::Value);
        }
        match self.names.register(word) {
            Some(value) => Ok(Meaning::Number(value.into())),
            None => Err(format!(
                "there is no variable, static or register \"{word}\" here; write a path as \
                 app::COUNT for a static"
            )),
        }
    }

    fn word(&mut self) -> Result<&'a str, String> {
        self.space();
        let word = word(self.rest());
        if word.is_empty() {
            let rest = self.rest();
            return Err(if rest.is_empty() {
                "the expression has no end".into()
            } else {
                format!("\"{rest}\" makes no sense here")
            });
        }
        self.at += word.len();
        Ok(word)
    }
}

/// A name, a path or a number at the beginning of a text.
fn word(text: &str) -> &str {
    let is_part = |one: char| one.is_alphanumeric() || one == '_';
    let mut end = 0;
    loop {
        end += text[end..].find(|one| !is_part(one)).unwrap_or(text.len() - end);
        let is_path = end > 0 && text[end..].starts_with("::");
        if !is_path || !text[end + 2..].starts_with(is_part) {
            return &text[..end];
        }
        end += 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::debug::evaluate::Content;
    use crate::debug::types::{Types, example};

    struct Example(Types);

    fn read(address: u32) -> Option<u8> {
        Some([1, 2][usize::try_from(address.checked_sub(0x100)?).ok().filter(|at| *at < 2)?])
    }

    impl Names for Example {
        fn variable(&self, name: &str) -> Option<Result<Value, String>> {
            match name {
                "lamps" => Some(Ok(Value::at(0x100, 1))),
                "gone" => Some(Err("it is optimised out".into())),
                "none" => Some(Ok(Value::new(Content::Bytes(vec![None]), Some(5)))),
                _ => None,
            }
        }

        fn register(&self, name: &str) -> Option<u32> {
            (name == "sp").then_some(0x2000)
        }

        fn word(&self, address: u32) -> Option<u32> {
            (address == 0x2000).then_some(77)
        }

        fn shower(&self) -> Shower<'_> {
            Shower { types: &self.0, read: &read }
        }
    }

    fn shown(text: &str) -> String {
        let names = Example(example::types(0x100));
        match evaluate(text, &names) {
            Ok(Meaning::Number(number)) => number.to_string(),
            Ok(Meaning::Truth(truth)) => truth.to_string(),
            Ok(Meaning::Value(value)) => names.shower().text(&value),
            Err(problem) => problem,
        }
    }

    #[test]
    fn expressions_have_the_values_that_one_expects() {
        for (text, value) in [
            ("1 + 2 * 3", "7"),
            ("0x10 == 16 && 1 < 2", "true"),
            ("!(1 > 2) || false", "true"),
            ("-1 + 3", "2"),
            ("$sp", "8192"),
            ("sp - 0x2000", "0"),
            ("*sp", "77"),
            ("*0x2000 % 10", "7"),
            ("lamps[0].__state", "Some(TurnsOn)"),
            ("lamps[0].__state == Some", "true"),
            ("lamps[1].__state != Option::None", "false"),
            ("&lamps", "256"),
        ] {
            assert_eq!(shown(text), value, "{text}");
        }
    }

    #[test]
    fn what_makes_no_sense_is_refused_in_words() {
        for (text, part) in [
            ("", "has no end"),
            ("1 +", "has no end"),
            ("1 1", "\"1\" makes no sense"),
            ("(1", "a ) is missing"),
            ("lamps[7]", "there is no element 7: it has 2"),
            ("lamps[0].x", "has no field x: it has __kept, __state"),
            ("lamps", ""),
            ("gone", "optimised out"),
            ("nobody", "no variable, static or register \"nobody\""),
            ("$x", "no register x"),
            ("*1", "nothing can be read at 0x00000001"),
            ("1 / 0", "no number"),
            ("lamps + 1", "is no number"),
            ("1.x", "a number has no fields"),
            ("0xzz", "\"0xzz\" is no number"),
        ] {
            assert!(shown(text).contains(part), "{text}: {}", shown(text));
        }
        let deep = "(".repeat(100_000);
        assert!(shown(&deep).contains("nests too deep"));
        assert!(shown(&"-".repeat(100_000)).contains("nests too deep"));
    }
}
