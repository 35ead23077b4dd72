package com.example.coll.aggregate;

import java.nio.ByteBuffer;
import tutti.coll.Reduction;

/**
 * The arithmetic of the device: an operation on a type of elements.
 *
 * @param operation the operation
 * @param type      the type of the elements
 */
record Arithmetic(Arithmetic.Operation operation, Arithmetic.Type type) {
    /** The operations, by the names of MPI. */
    enum Operation { SUM, MAX, MIN }

    /** The types, by the names of package mpi. */
    enum Type {
        INT(Integer.BYTES), LONG(Long.BYTES), DOUBLE(Double.BYTES);

        private final int bytes;

        Type(final int bytes) {
            this.bytes = bytes;
        }
    }

    /** Returns what computes a reduction; null if the device cannot. */
    static Arithmetic of(final Reduction reduction) {
        if (reduction.operation() != null) {
            for (final Operation operation : Operation.values()) {
                for (final Type type : Type.values()) {
                    if (operation.name().equals(reduction.operation()) && type.name().equals(reduction.elementType())) {
                        return new Arithmetic(operation, type);
                    }
                }
            }
        }
        return null;
    }

    /** Combines elements: {@code high = low (op) high}. */
    void combine(final ByteBuffer low, final ByteBuffer high) {
        for (int at = 0; at < high.limit(); at += type.bytes) {
            switch (type) {
                case INT -> high.putInt(at, (int) combined(low.getInt(at), high.getInt(at)));
                case LONG -> high.putLong(at, combined(low.getLong(at), high.getLong(at)));
                case DOUBLE -> high.putDouble(at, combined(low.getDouble(at), high.getDouble(at)));
            }
        }
    }

    private long combined(final long low, final long high) {
        return switch (operation) {
            case SUM -> low + high;
            case MAX -> Math.max(low, high);
            case MIN -> Math.min(low, high);
        };
    }

    private double combined(final double low, final double high) {
        return switch (operation) {
            case SUM -> low + high;
            case MAX -> Math.max(low, high);
            case MIN -> Math.min(low, high);
        };
    }
}
