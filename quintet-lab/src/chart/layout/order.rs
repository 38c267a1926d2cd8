//! The order of places in each layer, so that few lines cross.

/// The number of passes over the layers.
const SWEEPS: usize = 12;

/// Sorts the layers, which hold places by their number. `lines` join a place of a layer to one of
/// the next layer. The place `first` stays at the beginning of its layer.
pub fn sort(layers: &mut Vec<Vec<usize>>, lines: &[(usize, usize)], first: Option<usize>) {
    let count = layers.iter().flatten().max().map_or(0, |most| most + 1);
    let (mut above, mut below) = (vec![Vec::new(); count], vec![Vec::new(); count]);
    for &(upper, lower) in lines {
        above[lower].push(upper);
        below[upper].push(lower);
    }
    let mut best = (crossings(layers, &below), layers.clone());
    for sweep in 0..SWEEPS {
        let down = sweep % 2 == 0;
        let neighbours = if down { &above } else { &below };
        let mut position = positions(layers, count);
        let order: Vec<usize> =
            if down { (0..layers.len()).collect() } else { (0..layers.len()).rev().collect() };
        for layer in order {
            let key = |place: usize| {
                let near = &neighbours[place];
                let sum: usize = near.iter().map(|&near| position[near]).sum();
                if near.is_empty() {
                    position[place] as f64
                } else {
                    sum as f64 / near.len() as f64
                }
            };
            let mut keyed: Vec<(bool, f64, usize)> = layers[layer]
                .iter()
                .map(|&place| (Some(place) != first, key(place), place))
                .collect();
            // Equal ones stay in their order.
            keyed.sort_by(|a, b| (a.0.cmp(&b.0)).then(a.1.total_cmp(&b.1)));
            layers[layer] = keyed.into_iter().map(|(_, _, place)| place).collect();
            for (index, &place) in layers[layer].iter().enumerate() {
                position[place] = index;
            }
        }
        let now = crossings(layers, &below);
        if now < best.0 {
            best = (now, layers.clone());
        }
    }
    *layers = best.1;
}

fn positions(layers: &[Vec<usize>], count: usize) -> Vec<usize> {
    let mut position = vec![0; count];
    for layer in layers {
        for (index, &place) in layer.iter().enumerate() {
            position[place] = index;
        }
    }
    position
}

/// Returns how many pairs of lines cross.
fn crossings(layers: &[Vec<usize>], below: &[Vec<usize>]) -> usize {
    let position = positions(layers, below.len());
    let mut crossings = 0;
    for layer in layers {
        let mut seen: Vec<usize> = Vec::new();
        for &place in layer {
            let ends: Vec<usize> = below[place].iter().map(|&end| position[end]).collect();
            for end in &ends {
                crossings += seen.iter().filter(|&seen| seen > end).count();
            }
            seen.extend(ends);
        }
    }
    crossings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crossed_lines_are_sorted_out_and_what_is_first_stays() {
        let mut layers = vec![vec![0, 1, 2], vec![3, 4]];
        sort(&mut layers, &[(1, 4), (2, 3)], Some(0));
        assert_eq!(layers[0][0], 0);
        let place =
            |place| layers.iter().find_map(|layer| layer.iter().position(|&one| one == place));
        assert_eq!(place(1) < place(2), place(4) < place(3));
    }
}
