package mpi;

/** A view of a file: what a rank sees of it. {@link File#getView} returns the view that is in use. */
public final class FileView {
    private final long disp;
    private final Datatype etype;
    private final Datatype fileType;
    private final String dataRep;

    /**
     * Creates a description of a view.
     *
     * @param disp     offset of the first filetype in the file, in bytes
     * @param etype    type of the elements, which are the units of offsets
     * @param filetype type that is repeated, and has the elements that the view shows
     * @param datarep  {@code native}, {@code internal} or {@code external32}
     */
    public FileView(final long disp, final Datatype etype, final Datatype filetype, final String datarep) {
        this.disp = disp;
        this.etype = etype;
        this.fileType = filetype;
        this.dataRep = datarep;
    }

    /** Returns the offset of the first filetype in the file, in bytes. */
    public long getDisp() {
        return disp;
    }

    /** Returns the type of the elements. */
    public Datatype getEType() {
        return etype;
    }

    /** Returns the type that is repeated. */
    public Datatype getFileType() {
        return fileType;
    }

    /** Returns the name of the data representation. */
    public String getDataRep() {
        return dataRep;
    }
}
