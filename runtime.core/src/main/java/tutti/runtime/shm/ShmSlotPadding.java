package tutti.runtime.shm;

/** Cache-line padding before the fields of a slot: a rank that polls an adjacent object would slow down the slot's writer. */
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

    ShmSlotPadding() {}
}
