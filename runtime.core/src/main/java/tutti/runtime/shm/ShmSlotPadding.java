package tutti.runtime.shm;

/** Keeps what comes before a window off its cache line: a rank that polls one would slow down who writes the other. */
@SuppressWarnings("unused")
abstract class ShmSlotPadding {
    private long a1;
    private long a2;
    private long a3;
    private long a4;
    private long a5;
    private long a6;
    private long a7;
    private long a8;

    ShmSlotPadding() { }
}
