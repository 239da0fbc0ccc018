//! Counts that do not fit in memory: sorted runs in files, and their merging.
//!
//! A run is a file of pieces, sorted, each once: the size of the piece and its count as variable-length numbers of seven
//! bits a byte, and between them the piece. Merging reads all runs at once, front to back.

use super::counts::PieceCounts;
use super::table::overflow;
use crate::error::Error;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

/// Bytes read or written at a time; a merge holds so many for each run.
const BLOCK: usize = 1 << 16;

/// Where counts go that would take more than so many bytes of memory.
#[derive(Debug, Clone)]
pub struct Spill {
    /// A folder of the caller's, to be deleted by him.
    pub folder: PathBuf,
    /// Bytes that the tables may take.
    pub max_bytes: usize,
}

/// What a merge came to.
#[derive(Debug, Clone, Copy, Default)]
pub struct Totals {
    /// Distinct pieces.
    pub n_pieces: u64,
    /// All pieces, each as often as it occurs; None past 64 bits.
    pub n_occurrences: Option<u64>,
    /// As of `PieceCounts`.
    pub fingerprint: u128,
}

impl PieceCounts {
    /// Writes the pieces as a run; their order is lost.
    ///
    /// # Errors
    /// `Error::Spill` where the file cannot be written.
    pub fn write_run(mut self, path: &Path) -> Result<(), Error> {
        self.sort();
        let mut run = RunWriter::create(path)?;
        self.iter().try_for_each(|(piece, count)| run.add(piece, count))?;
        run.finish()
    }
}

/// Writes a run.
#[derive(Debug)]
struct RunWriter<'a> {
    path: &'a Path,
    file: BufWriter<File>,
}

impl<'a> RunWriter<'a> {
    fn create(path: &'a Path) -> Result<Self, Error> {
        let file = File::create(path).map_err(|error| failed(path, &error))?;
        Ok(Self { path, file: BufWriter::with_capacity(BLOCK, file) })
    }

    fn add(&mut self, piece: &[u8], count: u64) -> Result<(), Error> {
        let done = write_number(&mut self.file, piece.len() as u64)
            .and_then(|()| self.file.write_all(piece))
            .and_then(|()| write_number(&mut self.file, count));
        done.map_err(|error| failed(self.path, &error))
    }

    fn finish(mut self) -> Result<(), Error> {
        self.file.flush().map_err(|error| failed(self.path, &error))
    }
}

/// Reads a run, front to back.
#[derive(Debug)]
pub struct RunReader {
    path: PathBuf,
    file: BufReader<File>,
    /// The piece that was read last.
    pub piece: Vec<u8>,
    /// Its count.
    pub count: u64,
}

impl RunReader {
    /// Opens a run, before its first piece.
    ///
    /// # Errors
    /// `Error::Spill` where the file cannot be read.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let file = File::open(path).map_err(|error| failed(path, &error))?;
        Ok(Self { path: path.into(), file: BufReader::with_capacity(BLOCK, file), piece: Vec::new(), count: 0 })
    }

    /// Goes on to the next piece; whether there is one.
    ///
    /// # Errors
    /// `Error::Spill` where the file cannot be read or ends too early.
    pub fn advance(&mut self) -> Result<bool, Error> {
        self.read().map_err(|error| failed(&self.path, &error))
    }

    fn read(&mut self) -> io::Result<bool> {
        let Some(n_bytes) = read_number(&mut self.file)? else { return Ok(false) };
        self.piece.clear();
        // `take`, so that a broken size asks for no memory.
        let read = (&mut self.file).take(n_bytes).read_to_end(&mut self.piece)?;
        let count = read_number(&mut self.file)?;
        self.count = count.filter(|_| read as u64 == n_bytes).ok_or(io::ErrorKind::UnexpectedEof)?;
        Ok(true)
    }
}

/// Merges runs into one; equal pieces add up. `look` is called now and then, and its error ends the work.
///
/// # Errors
/// `Error::Spill` where a file cannot be read or written, `Error::CountOverflow` where a count passes 63 bits.
pub fn merge_runs(
    paths: &[PathBuf],
    into: &Path,
    mut look: impl FnMut() -> Result<(), Error>,
) -> Result<Totals, Error> {
    const PIECES_A_LOOK: u64 = 1 << 14;
    let mut heap = BinaryHeap::new();
    for path in paths {
        push(&mut heap, RunReader::open(path)?)?;
    }
    let mut merged = RunWriter::create(into)?;
    let mut totals = Totals { n_occurrences: Some(0), ..Totals::default() };
    while let Some(Reverse(Ahead(mut first))) = heap.pop() {
        let (piece, mut count) = (std::mem::take(&mut first.piece), first.count);
        push(&mut heap, first)?;
        while heap.peek().is_some_and(|Reverse(Ahead(next))| next.piece == piece) {
            let Some(Reverse(Ahead(next))) = heap.pop() else { break };
            let sum = count.checked_add(next.count).filter(|&sum| i64::try_from(sum).is_ok());
            count = sum.ok_or_else(|| overflow(&piece))?;
            push(&mut heap, next)?;
        }
        merged.add(&piece, count)?;
        totals.add(&piece, count);
        if totals.n_pieces.is_multiple_of(PIECES_A_LOOK) {
            look()?;
        }
    }
    merged.finish()?;
    Ok(totals)
}

impl Totals {
    fn add(&mut self, piece: &[u8], count: u64) {
        self.n_pieces += 1;
        self.n_occurrences = self.n_occurrences.and_then(|sum| sum.checked_add(count));
        self.fingerprint = self.fingerprint.wrapping_add(super::counts::pair_fingerprint(piece, count));
    }
}

/// A run, compared by the piece at which it is.
struct Ahead(RunReader);

impl PartialEq for Ahead {
    fn eq(&self, other: &Self) -> bool {
        self.0.piece == other.0.piece
    }
}

impl Eq for Ahead {}

impl PartialOrd for Ahead {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Ahead {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.piece.cmp(&other.0.piece)
    }
}

/// Puts a run back at its next piece, if it has one.
fn push(heap: &mut BinaryHeap<Reverse<Ahead>>, mut run: RunReader) -> Result<(), Error> {
    if run.advance()? {
        heap.push(Reverse(Ahead(run)));
    }
    Ok(())
}

fn write_number(file: &mut impl Write, mut number: u64) -> io::Result<()> {
    while number >= 0x80 {
        file.write_all(&[number as u8 | 0x80])?;
        number >>= 7;
    }
    file.write_all(&[number as u8])
}

/// None at the end of the file.
fn read_number(file: &mut impl Read) -> io::Result<Option<u64>> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let mut byte = [0];
        if file.read(&mut byte)? == 0 {
            return if shift == 0 { Ok(None) } else { Err(io::ErrorKind::UnexpectedEof.into()) };
        }
        number |= u64::from(byte[0] & 0x7F) << shift;
        if byte[0] < 0x80 {
            return Ok(Some(number));
        }
    }
    Err(io::Error::new(io::ErrorKind::InvalidData, "a number has too many bytes"))
}

fn failed(path: &Path, error: &io::Error) -> Error {
    Error::Spill { path: path.display().to_string(), reason: error.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tally::PieceTable;

    fn run(folder: &Path, name: &str, pieces: &[(&[u8], u64)]) -> PathBuf {
        let mut table = PieceTable::new();
        for (piece, count) in pieces {
            table.add(piece, 0..piece.len(), *count).unwrap();
        }
        let path = folder.join(name);
        table.finish().write_run(&path).unwrap();
        path
    }

    #[test]
    fn runs_merge_in_order_and_add_up() {
        let folder = std::env::temp_dir().join(format!("bytepair-runs-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let long = [b'x'; 300];
        let paths = [
            run(&folder, "a", &[(b"b", 1), (b"a", 200), (&long, 3)]),
            run(&folder, "b", &[(b"", 5), (b"b\0", 1), (&long, 4)]),
            run(&folder, "c", &[]),
        ];
        let whole = folder.join("whole");
        let totals = merge_runs(&paths, &whole, || Ok(())).unwrap();
        let mut found = Vec::new();
        let mut reader = RunReader::open(&whole).unwrap();
        while reader.advance().unwrap() {
            found.push((reader.piece.clone(), reader.count));
        }
        let wanted: Vec<(Vec<u8>, u64)> =
            vec![(b"".into(), 5), (b"a".into(), 200), (b"b".into(), 1), (b"b\0".into(), 1), (long.into(), 7)];
        assert_eq!(found, wanted);
        assert_eq!((totals.n_pieces, totals.n_occurrences), (5, Some(214)));
        let over = run(&folder, "d", &[(&long, i64::MAX as u64)]);
        let sum = merge_runs(&[whole, over], &folder.join("e"), || Ok(()));
        assert!(matches!(sum, Err(Error::CountOverflow { .. })));
        std::fs::remove_dir_all(folder).unwrap();
    }
}
