"""What programs are compiled for."""
