package tutti.runtime.file;

import tutti.runtime.datatype.Datatype;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;

/**
 * The view of a rank: elements of a type, where a filetype that is repeated in the file has them. Immutable.
 *
 * @param etype          type of the elements: the unit of offsets
 * @param representation how data is in the file
 * @param map            where the data is in the file
 */
record FileView(Datatype etype, DataRepresentation representation, ViewMap map) {
    /** The view of a file that was opened: its bytes. */
    static final FileView BYTES = new FileView(Datatype.BYTE, DataRepresentation.NATIVE, ViewMap.of(0, Datatype.BYTE));

    /** Returns a view after it has been checked. */
    static FileView of(final long displacement, final Datatype etype, final Datatype filetype, final DataRepresentation representation,
        final AccessMode mode) {
        Datatype.checkType(etype);
        Datatype.checkType(filetype);
        if (displacement < 0) {
            // Cause: a view begins in the file. Remedy: a displacement in bytes from 0 on.
            throw new MpiFailure(ErrorClass.ARG, "displacement of view is negative: displacement=" + displacement);
        }
        if (etype.size() == 0) {
            // Cause: offsets are counted in elements. Remedy: a datatype with data.
            throw new MpiFailure(ErrorClass.TYPE, "etype has no data: etype=" + etype.name());
        }
        if (filetype.size() % etype.size() != 0) {
            // Cause: a filetype is made of elements of the etype. Remedy: derive it from the etype.
            throw new MpiFailure(ErrorClass.TYPE, "filetype is not made of etypes: filetype bytes=" + filetype.size() + ", etype bytes="
                + etype.size());
        }
        final ViewMap map = ViewMap.of(displacement, filetype);
        if (filetype.size() > 0 && (filetype.trueLowerBound() < 0 || filetype.extent() <= 0 || !map.isOrdered())) {
            // Cause: the standard has filetypes whose displacements are not negative and do not fall. Remedy: the data in the order of the file.
            throw new MpiFailure(ErrorClass.TYPE, "displacements of filetype fall or are negative: filetype=" + filetype.name());
        }
        if (mode.writes() && !map.isAscending()) {
            // Cause: two elements of the view would be one place of the file. Remedy: another filetype, or MODE_RDONLY.
            throw new MpiFailure(ErrorClass.TYPE, "filetype overlaps, and the file is open to be written: filetype=" + filetype.name());
        }
        return new FileView(etype, representation, map);
    }

    /** Returns the bytes of data before an element. */
    long bytesBefore(final long element) {
        if (element < 0) {
            // Cause: elements are counted from the begin of the view. Remedy: an offset from 0 on.
            throw new MpiFailure(ErrorClass.ARG, "offset is negative: offset=" + element);
        }
        try {
            final long bytes = Math.multiplyExact(element, etype.size());
            map.offset(bytes);
            return bytes;
        } catch (final ArithmeticException e) {
            // Cause: the file would be longer than 8 EiB. Remedy: a smaller offset.
            throw new MpiFailure(ErrorClass.ARG, "offset out of range: offset=" + element, e);
        }
    }
}
