package sdk

// export is an export of a module. It is a number, because TinyGo compares a name with those of a switch one after the other.
type export uint8

const (
	exportOfDescribe export = iota
	exportOfConfigure
	exportOfCallTool
	exportOfBeforeAgent
	exportOfBeforeModel
	exportOfAfterModel
	exportOfAfterAgent
	exportOfWrapModelCall
	exportOfWrapToolCall
)
