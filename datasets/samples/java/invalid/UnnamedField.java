package samples;

class UnnamedField {
    int _ = 1;
}
