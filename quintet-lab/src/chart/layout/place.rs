//! Places in a row: each as near as possible to its wish, and far enough from the next.

/// One of a row.
#[derive(Clone, Copy, Debug)]
pub struct Wish {
    /// The wished place.
    pub at: f64,
    /// The weight of the wish.
    pub weight: f64,
    /// The least distance from the place before.
    pub apart: f64,
}

/// Returns the places with the least sum of squared distances from the wishes.
///
/// If all distances before a place are subtracted, the only condition is that no place is below the
/// one before. So neighbours in the wrong order are joined at their mean, until there are none.
pub fn row(wishes: &[Wish]) -> Vec<f64> {
    struct Block {
        sum: f64,
        weight: f64,
        count: usize,
    }
    let mut blocks: Vec<Block> = Vec::new();
    let mut shift = 0.0;
    let mut shifts = Vec::new();
    for (index, wish) in wishes.iter().enumerate() {
        if index > 0 {
            shift += wish.apart;
        }
        shifts.push(shift);
        let sum = (wish.at - shift) * wish.weight;
        let mut block = Block { sum, weight: wish.weight, count: 1 };
        while let Some(last) = blocks.last() {
            if last.sum / last.weight < block.sum / block.weight {
                break;
            }
            block.sum += last.sum;
            block.weight += last.weight;
            block.count += last.count;
            blocks.pop();
        }
        blocks.push(block);
    }
    let means = blocks.iter().flat_map(|block| vec![block.sum / block.weight; block.count]);
    means.zip(shifts).map(|(mean, shift)| mean + shift).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_has_room_stands_where_it_wants_and_the_others_share() {
        let wish = |at, apart| Wish { at, weight: 1.0, apart };
        assert_eq!(row(&[wish(0.0, 0.0), wish(50.0, 10.0)]), [0.0, 50.0]);
        assert_eq!(row(&[wish(0.0, 0.0), wish(0.0, 10.0)]), [-5.0, 5.0]);
        let heavy = Wish { at: 0.0, weight: 1e9, apart: 10.0 };
        let row = row(&[wish(0.0, 0.0), heavy]);
        assert!((row[1]).abs() < 1e-3 && (row[1] - row[0] - 10.0).abs() < 1e-9, "{row:?}");
    }
}
