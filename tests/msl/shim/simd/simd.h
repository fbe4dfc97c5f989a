// naga's Metal sources include this header, and use nothing of it.
