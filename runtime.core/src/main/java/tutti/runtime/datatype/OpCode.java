package tutti.runtime.datatype;

/** The predefined operations, as kernels switch on them. */
enum OpCode {
    MAX, MIN, SUM, PROD, LAND, BAND, LOR, BOR, LXOR, BXOR, MINLOC, MAXLOC, REPLACE, NO_OP
}
