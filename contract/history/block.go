package history

// BlockType names one of the nine kinds of block.
type BlockType string

// The closed set of block types.
const (
	TypeText              BlockType = "text"
	TypeThinking          BlockType = "thinking"
	TypeToolCall          BlockType = "toolCall"
	TypeToolResult        BlockType = "toolResult"
	TypeImage             BlockType = "image"
	TypeFileReference     BlockType = "fileReference"
	TypeArtifactReference BlockType = "artifactReference"
	TypeSummaryReference  BlockType = "summaryReference"
	TypeOpaqueProvider    BlockType = "opaqueProvider"
)

// BlockTypes lists the types in the order of the contract. The caller owns the
// slice.
func BlockTypes() []BlockType {
	return []BlockType{
		TypeText, TypeThinking, TypeToolCall, TypeToolResult, TypeImage,
		TypeFileReference, TypeArtifactReference, TypeSummaryReference, TypeOpaqueProvider,
	}
}

// Block is one piece of a message: a [Text], [Thinking], [ToolCall],
// [ToolResult], [Image], [FileReference], [ArtifactReference], [SummaryReference]
// or [OpaqueProvider]. The set is sealed. Blocks are values; what is shared
// between copies is their Extra list, see [Message.Clone].
type Block interface {
	// Type names the block's kind.
	Type() BlockType
	// Accept calls the visitor's method for the block's kind.
	Accept(BlockVisitor)

	// extra gives the unknown fields, clone a copy that has its own.
	extra() Members
	clone() Block
}

// BlockVisitor has one method per kind. A new kind adds a method here, so that
// every place which forgot it stops compiling.
type BlockVisitor interface {
	VisitText(Text)
	VisitThinking(Thinking)
	VisitToolCall(ToolCall)
	VisitToolResult(ToolResult)
	VisitImage(Image)
	VisitFileReference(FileReference)
	VisitArtifactReference(ArtifactReference)
	VisitSummaryReference(SummaryReference)
	VisitOpaqueProvider(OpaqueProvider)
}

// Text is what was said.
type Text struct {
	Text  string
	Extra Members
}

// Thinking is what a model thought.
type Thinking struct {
	Thinking string
	Extra    Members
}

// ToolCall is a tool that a model called.
type ToolCall struct {
	// ID is unique within the history and not blank (history#call-identity).
	ID   string
	Name string
	// Arguments is any JSON value; the zero value is absent, which is allowed.
	Arguments JSON
	Extra     Members
}

// ToolResult answers a [ToolCall] (history#result-identity).
type ToolResult struct {
	// ToolCallID is the id of the call that it answers.
	ToolCallID string
	ToolName   string
	Content    string
	IsError    bool
	Extra      Members
}

// Image is a picture. Both fields may be absent; they are never null.
type Image struct {
	MimeType Optional[string]
	// Data is the picture in base64.
	Data  Optional[string]
	Extra Members
}

// FileReference points to a file.
type FileReference struct {
	Path  string
	Extra Members
}

// ArtifactReference points to a kept artifact.
type ArtifactReference struct {
	ArtifactID string
	Extra      Members
}

// SummaryReference points to a summary that stands for older messages.
type SummaryReference struct {
	SummaryID string
	Extra     Members
}

// OpaqueProvider is a block of a provider that the contract does not know. It is
// passed on as it came.
type OpaqueProvider struct {
	// OriginalType is the provider's own name for it.
	OriginalType Optional[string]
	// Value is any JSON value; it must be there, so the zero value is written as
	// null.
	Value JSON
	Extra Members
}

// Type returns TypeText.
func (Text) Type() BlockType { return TypeText }

// Type returns TypeThinking.
func (Thinking) Type() BlockType { return TypeThinking }

// Type returns TypeToolCall.
func (ToolCall) Type() BlockType { return TypeToolCall }

// Type returns TypeToolResult.
func (ToolResult) Type() BlockType { return TypeToolResult }

// Type returns TypeImage.
func (Image) Type() BlockType { return TypeImage }

// Type returns TypeFileReference.
func (FileReference) Type() BlockType { return TypeFileReference }

// Type returns TypeArtifactReference.
func (ArtifactReference) Type() BlockType { return TypeArtifactReference }

// Type returns TypeSummaryReference.
func (SummaryReference) Type() BlockType { return TypeSummaryReference }

// Type returns TypeOpaqueProvider.
func (OpaqueProvider) Type() BlockType { return TypeOpaqueProvider }

// Accept calls VisitText.
func (b Text) Accept(v BlockVisitor) { v.VisitText(b) }

// Accept calls VisitThinking.
func (b Thinking) Accept(v BlockVisitor) { v.VisitThinking(b) }

// Accept calls VisitToolCall.
func (b ToolCall) Accept(v BlockVisitor) { v.VisitToolCall(b) }

// Accept calls VisitToolResult.
func (b ToolResult) Accept(v BlockVisitor) { v.VisitToolResult(b) }

// Accept calls VisitImage.
func (b Image) Accept(v BlockVisitor) { v.VisitImage(b) }

// Accept calls VisitFileReference.
func (b FileReference) Accept(v BlockVisitor) { v.VisitFileReference(b) }

// Accept calls VisitArtifactReference.
func (b ArtifactReference) Accept(v BlockVisitor) { v.VisitArtifactReference(b) }

// Accept calls VisitSummaryReference.
func (b SummaryReference) Accept(v BlockVisitor) { v.VisitSummaryReference(b) }

// Accept calls VisitOpaqueProvider.
func (b OpaqueProvider) Accept(v BlockVisitor) { v.VisitOpaqueProvider(b) }

func (b Text) extra() Members              { return b.Extra }
func (b Thinking) extra() Members          { return b.Extra }
func (b ToolCall) extra() Members          { return b.Extra }
func (b ToolResult) extra() Members        { return b.Extra }
func (b Image) extra() Members             { return b.Extra }
func (b FileReference) extra() Members     { return b.Extra }
func (b ArtifactReference) extra() Members { return b.Extra }
func (b SummaryReference) extra() Members  { return b.Extra }
func (b OpaqueProvider) extra() Members    { return b.Extra }

func (b Text) clone() Block              { b.Extra = b.Extra.Clone(); return b }
func (b Thinking) clone() Block          { b.Extra = b.Extra.Clone(); return b }
func (b ToolCall) clone() Block          { b.Extra = b.Extra.Clone(); return b }
func (b ToolResult) clone() Block        { b.Extra = b.Extra.Clone(); return b }
func (b Image) clone() Block             { b.Extra = b.Extra.Clone(); return b }
func (b FileReference) clone() Block     { b.Extra = b.Extra.Clone(); return b }
func (b ArtifactReference) clone() Block { b.Extra = b.Extra.Clone(); return b }
func (b SummaryReference) clone() Block  { b.Extra = b.Extra.Clone(); return b }
func (b OpaqueProvider) clone() Block    { b.Extra = b.Extra.Clone(); return b }
