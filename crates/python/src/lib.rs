//! `bytepair._native`: converts arguments, releases the GIL, maps errors. No algorithm lives here.
