package devices;

/** The registers of a serial port. */
public final class BadBinaryLiteral {

    static final int READY = 0b0000_0001;
    static final int ERROR = 0b0001_0000;
    static final int BAUD_MASK = 0b11102;

    private int status;

    boolean ready() {
        return (status & READY) != 0 && (status & ERROR) == 0;
    }

    int baudRate() {
        switch (status & BAUD_MASK) {
            case 0b0010: return 9_600;
            case 0b0100: return 19_200;
            default: return 115_200;
        }
    }

    void set(int bits) {
        status |= bits;
    }
}
